// The search page of a site, and the way to it from every other page. What is searched comes in
// parts: first titles, digests and headings of all episodes, then their texts, the newest first, as
// somebody searches. Parts are scripts, so that a site that is read from a disk has them too.
(() => {
  const at = document.currentScript.src, found = (path) => new URL(path, at).href;

  // --- on every page: a way to the search -----------------------------------------------------------

  function way(page) {
    const head = document.querySelector(".md-header__inner");
    if (!head || head.querySelector(".ms-way")) return;
    const link = document.createElement("a");
    link.className = "md-header__button md-icon ms-way";
    link.href = page;
    link.title = "Search";
    link.setAttribute("aria-label", "Search");
    link.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M9.5 3A6.5 6.5 0 0 1 16 9.5c0 1.61-.59 3.09-1.56 4.23l.27.27h.79l5 5-1.5 1.5-5-5v-.79l-.27-.27A6.52 6.52 0 0 1 9.5 16a6.5 6.5 0 0 1 0-13m0 2C7 5 5 7 5 9.5S7 14 9.5 14 14 12 14 9.5 12 5 9.5 5Z"/></svg>';
    head.append(link);
  }
  function open(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    location.href = found(MEMSHELF_FIND);
  }

  // --- the parts --------------------------------------------------------------------------------------

  const coming = new Map(), arrived = {};
  window.memshelfPart = (name, data) => arrived[name](data);
  function part(name) {
    if (!coming.has(name)) {
      coming.set(name, new Promise((done) => {
        const script = document.createElement("script");
        arrived[name] = done;
        script.src = found(`find/${name}.js`);
        script.onerror = () => { coming.delete(name); done(null); };
        document.head.append(script);
      }));
    }
    return coming.get(name);
  }

  // One episode as the search sees it: its row of the first parts, and its text once that is there.
  class Item {
    constructor([page, title, when, kind, quarter, tags, past, id, said, text, place]) {
      Object.assign(this, { page, title, when, kind, quarter, tags, past: past === 1, id, said, part: text, place });
      this.text = null;
    }
    get href() { return this.page; }
    plain() { return `${this.said} ${this.text || ""}`; }
    texts() {
      if (!this.known || this.known.of !== this.text) {
        const head = [this.when, ...this.tags, this.id].join(" ");
        this.known = { of: this.text, ...memshelf.texts(this.title, head, this.plain()) };
      }
      return this.known;
    }
  }

  async function begin(find) {
    const byId = (id) => document.getElementById(id);
    const tools = byId("tools"), results = byId("results"), status = byId("status"), whole = byId("whole");
    const fields = { q: byId("q"), kind: byId("kind"), quarter: byId("quarter"), tag: byId("tag") };
    tools.hidden = false;
    fields.q.focus();
    const heads = [];
    for (let one = 0; one < Number(find.dataset.heads); one += 1) heads.push(part(`head-${one}`));
    const rows = (await Promise.all(heads)).filter(Boolean).flat();
    const items = rows.map((row) => new Item(row)).reverse(); // the newest first
    const texts = new Set(items.map((item) => item.part));
    let inTexts = Number(find.dataset.bytes) <= 12e6; // more is loaded only if somebody says so
    whole.hidden = inTexts;

    function wait(item) {
      if (!inTexts || item.text !== null) return null;
      return part(`text-${item.part}`).then((data) => {
        for (const one of items) if (one.part === item.part && one.text === null) one.text = data ? data[one.place] : "";
      });
    }
    const panel = memshelf.panel({ items, results, status, fields, wait });
    const counted = (name) => [...items.reduce((all, item) => all.set(item[name], 0), new Map()).keys()].filter(Boolean);
    const used = items.flatMap((item) => item.tags).reduce((all, tag) => all.set(tag, (all.get(tag) || 0) + 1), new Map());
    panel.choices("kind", counted("kind").sort().map((kind) => [kind, kind]));
    panel.choices("quarter", counted("quarter").map((quarter) => [quarter, quarter]));
    panel.choices("tag", [...used].filter(([, count]) => count > 1).map(([tag]) => [tag, tag]).sort());

    function arrive() {
      const query = location.hash.startsWith("#?") ? location.hash.slice(2) : "";
      results.hidden = !query;
      if (query) panel.ask(query); else { panel.clear(); panel.stop(); }
    }
    let waiting = 0;
    function changed() {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        panel.first();
        history.replaceState(null, "", `#?${panel.given()}`);
        arrive();
      }, 120);
    }
    tools.addEventListener("input", changed);
    results.querySelector("button").addEventListener("click", () => { panel.more(); arrive(); });
    whole.querySelector("button").addEventListener("click", () => { inTexts = true; whole.hidden = true; arrive(); });
    memshelf.keys({ results, field: fields.q, away() { panel.clear(); changed(); } });
    addEventListener("hashchange", arrive);
    find.dataset.ready = String(texts.size);
    arrive();
  }

  function start() {
    const find = document.getElementById("find");
    const searched = document.querySelector(".md-search"); // the site around us has one of its own
    if (!searched) way(found(MEMSHELF_FIND));
    if (!find) return searched || document.addEventListener("keydown", open);
    document.removeEventListener("keydown", open);
    return find.dataset.ready || begin(find);
  }
  if (window.document$) window.document$.subscribe(start); else start();
})();
