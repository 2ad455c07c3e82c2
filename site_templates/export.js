// The page is complete without this script. With it: bodies wait as inert text and are made when
// they are opened, and everything can be searched. Nothing is fetched and nothing is stored.
(() => {
  const byId = (id) => document.getElementById(id);
  const articles = [...document.querySelectorAll("#episodes article")];
  const tools = byId("tools"), results = byId("results"), shelf = byId("shelf"), status = byId("status");
  const fields = { q: byId("q"), kind: byId("kind"), quarter: byId("quarter"), tag: byId("tag") };

  // --- folds: their content is made once, when it is needed -----------------------------------

  function make(fold) {
    const inert = fold && fold.querySelector(":scope > noscript");
    if (!inert) return;
    const holder = document.createElement("template");
    holder.innerHTML = inert.textContent;
    inert.replaceWith(holder.content);
  }
  const opened = (fold) => { make(fold); fold.open = true; };
  document.addEventListener("toggle", (event) => event.target.open && make(event.target), true);
  document.querySelectorAll("details[open]").forEach(make);

  let unfolded = [];
  const FOLDED = "#episodes article > details:not([open]), #about > details:not([open])";
  addEventListener("beforeprint", () => {
    if (shelf.hidden) return; // what was found is printed
    unfolded = [...document.querySelectorAll(FOLDED)];
    unfolded.forEach(opened);
  });
  addEventListener("afterprint", () => unfolded.splice(0).forEach((fold) => { fold.open = false; }));

  // --- what there is to search ----------------------------------------------------------------

  const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"' };
  const decoded = (_, name) => NAMED[name] || String.fromCodePoint(Number(name.replace("#x", "0x").replace("#", "")));
  const known = new Map(); // tokens that were made once, by article

  const said = (part) => !part.matches("summary, footer");

  function body(article) {
    const inside = article.querySelector(":scope > details");
    if (!inside) return "";
    const inert = inside.querySelector(":scope > noscript");
    if (!inert) return [...inside.children].filter(said).map((part) => part.textContent).join(" ");
    const [text] = inert.textContent.split("<footer", 1); // below it stand other episodes' titles
    return text.replace(/<[^>]+>/g, " ").replace(/&(amp|lt|gt|quot|#[xX]?[0-9a-fA-F]+);/g, decoded);
  }
  function texts(article) {
    let found = known.get(article);
    if (!found) {
      const beside = [...article.querySelectorAll(":scope > p, :scope > details > summary")];
      const head = beside.map((part) => part.textContent).join(" ") + " " + article.id.slice(3);
      found = memshelf.texts(article.querySelector("h2").textContent, head, body(article));
      known.set(article, found);
    }
    return found;
  }

  // One article as the search sees it.
  class Item {
    constructor(article) { this.article = article; }
    get kind() { return this.article.dataset.kind; }
    get quarter() { return this.article.dataset.quarter; }
    get tags() { return [...this.article.querySelectorAll(":scope > p .tag")].map((tag) => tag.dataset.tag || tag.textContent); }
    get past() { return this.article.classList.contains("past"); }
    get href() { return `#${encodeURIComponent(this.article.id)}`; }
    get title() { return this.article.querySelector("h2").textContent; }
    get when() { return this.article.querySelector(".when").textContent; }
    texts() { return texts(this.article); }
    plain() { return body(this.article).replace(/\s+/g, " "); }
  }
  // A line of a page that is an index alone: it is found by its title and its description.
  class Listed {
    constructor(line, at) { Object.assign(this, { line, tags: [], past: line.matches(".past") }); line.id = `line-${at + 1}`; }
    get quarter() { return this.line.closest("details").querySelector("summary bdi").textContent; }
    get href() { return `#${this.line.id}`; }
    get title() { return this.line.querySelector("bdi").textContent; }
    get when() { return this.line.querySelector(".small").textContent; }
    texts() { return this.found ||= memshelf.texts(this.title, "", this.plain()); }
    plain() { return (this.line.querySelector(":scope > [dir]") || this.line).textContent; }
  }
  function lines() {
    document.querySelectorAll("#contents details").forEach(make);
    return [...document.querySelectorAll("#contents li")].map((line, at) => new Listed(line, at));
  }
  const items = articles.length ? articles.map((article) => new Item(article)) : lines();
  const panel = memshelf.panel({ items, results, status, fields });
  const places = new Map(); // where one was, by address

  // --- the address says what is shown ---------------------------------------------------------

  function show(searching) {
    shelf.hidden = searching;
    results.hidden = !searching;
    if (!searching) panel.stop();
  }
  function ask(query, done) {
    show(true);
    panel.ask(query, done);
  }
  function clear() {
    panel.clear();
    show(false);
  }
  function arrive(byLink) {
    const hash = location.hash.slice(1);
    if (hash[0] === "?") return ask(hash.slice(1), () => scrollTo(0, places.get(location.hash) || 0));
    clear();
    const target = hash && byId(unescaped(hash));
    if (!target) return byLink || scrollTo(0, places.get(location.hash) || 0);
    const fold = target.matches("li") ? target.closest("details") : target.querySelector(":scope > details");
    if (fold && !target.matches("#contents")) opened(fold);
    if (!byLink) return undefined;
    target.tabIndex = -1;
    requestAnimationFrame(() => target.focus({ preventScroll: true })); // it would lay out once more
    return reach(target);
  }

  function unescaped(hash) {
    try { return decodeURIComponent(hash); } catch { return hash; } // cut in the middle of a letter
  }

  // Heights of what was never shown are guesses: go there until one stays there.
  function reach(target, tries = 5) {
    target.scrollIntoView();
    if (tries) requestAnimationFrame(() => Math.abs(target.getBoundingClientRect().top) > 20 && reach(target, tries - 1));
  }

  // The browser's own way to a fragment lays the page out before its fold is open, and again after.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.hash === "#tools") return fields.q.focus(); // no place to come back from; a search goes on
    places.set(location.hash, scrollY);
    history.pushState(null, "", link.getAttribute("href"));
    arrive(true);
  });
  addEventListener("hashchange", () => arrive(false));

  let waiting = 0;
  function changed() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const query = panel.given(), searching = location.hash.startsWith("#?");
      panel.first();
      if (!query && !searching) return show(false);
      if (!searching) places.set(location.hash, scrollY);
      history[searching ? "replaceState" : "pushState"](null, "", query ? `#?${query}` : "#");
      return query ? ask(query) : clear();
    }, 120);
  }
  tools.addEventListener("input", changed);
  results.querySelector("button").addEventListener("click", () => { panel.more(); ask(panel.given()); });

  memshelf.keys({ results, field: fields.q, away() { panel.clear(); changed(); } });

  // --- begin ----------------------------------------------------------------------------------

  const distinct = (name) => [...new Set(items.map((item) => item[name]))].filter(Boolean);
  panel.choices("kind", distinct("kind").sort().map((kind) => [kind, kind]));
  panel.choices("quarter", distinct("quarter").map((quarter) => [quarter, quarter]));
  panel.choices("tag", [...document.querySelectorAll("#tags details details")].map((one) => [one.dataset.tag, one.querySelector("bdi").textContent]));
  if (items.length > 1) document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });
  arrive(true);
})();
