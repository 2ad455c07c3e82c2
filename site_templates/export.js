"use strict";
// The page is complete without this script. With it: bodies wait as inert text and are made when
// they are opened, and everything can be searched. Nothing is fetched and nothing is stored.
(() => {
  const byId = (id) => document.getElementById(id);
  const articles = [...document.querySelectorAll("#episodes article")];
  const tools = byId("tools"), results = byId("results"), shelf = byId("shelf"), status = byId("status");
  const fields = { q: byId("q"), kind: byId("kind"), quarter: byId("quarter"), tag: byId("tag") };
  const SLICE = 30, REDRAW = 150, PAGE = 30; // milliseconds of work, between two looks; results shown

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
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("#episodes article > details:not([open])")];
    unfolded.forEach(opened);
  });
  addEventListener("afterprint", () => unfolded.forEach((fold) => { fold.open = false; }));

  // --- words: the same rules as `memshelf search` ---------------------------------------------

  const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+/g;
  const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
  const WORD = /[\p{L}\p{N}_]+(?:[+#]+(?![\p{L}\p{N}_]))?/gu;
  const INSIDE = /[\p{L}\p{N}_]/u;
  const SHORT_I = "\ue000"; // stands for й, a letter of its own, while marks are taken away

  function fold(text) {
    if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
    const kept = cased(text).replace(/и\u0306|й/g, SHORT_I);
    const plain = kept.normalize("NFKD").replaceAll("\u0345", "ι").replace(MARKS, "").replaceAll(SHORT_I, "й");
    return cased(plain).normalize("NFC");
  }
  // Case folding where it is more than lower case.
  const FOLDED = { "ß": "ss", "ẞ": "ss", "ſ": "s", "ς": "σ", "ŉ": "ʼn", "ǰ": "ǰ", "և": "եւ", "µ": "μ" };
  const MORE = new RegExp(`[${Object.keys(FOLDED).join("")}]`, "g");
  const cased = (text) => text.toLowerCase().replace(MORE, (char) => FOLDED[char]);

  function asked(text) {
    const words = [], without = [];
    for (const run of fold(text).split(/\s+/)) {
      const found = run.match(WORD) || [];
      if (run[0] === "-" && found.length) without.push(found.shift());
      words.push(...found);
    }
    return words.length ? { words: [...new Set(words)], without } : { words: without, without: [] };
  }

  function count(text, word) {
    const anywhere = UNSPACED.test(word);
    let found = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      if (anywhere || at === 0 || !INSIDE.test(before(text, at))) found += 1;
    }
    return found;
  }
  const before = (text, at) => /[\udc00-\udfff]/.test(text[at - 1]) ? text.slice(at - 2, at) : text[at - 1];

  // --- what there is to search ----------------------------------------------------------------

  const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"' };
  const decoded = (_, name) => NAMED[name] || String.fromCodePoint(Number(name.replace("#x", "0x").replace("#", "")));
  const known = new Map(); // what was folded once, by article

  const said = (part) => !part.matches("summary, footer");

  function body(article) {
    const inside = article.querySelector(":scope > details");
    if (!inside) return "";
    const inert = inside.querySelector(":scope > noscript");
    if (!inert) return [...inside.children].filter(said).map((part) => part.textContent).join(" ").replace(/\s+/g, " ");
    const [text] = inert.textContent.split("<footer"); // below it stand other episodes' titles
    return text.replace(/<[^>]*>/g, " ").replace(/&(amp|lt|gt|quot|#x?[0-9a-f]+);/gi, decoded).replace(/\s+/g, " ");
  }
  function texts(article) {
    let found = known.get(article);
    if (!found) {
      const beside = [...article.querySelectorAll(":scope > h2, :scope > p, :scope > details > summary")];
      const head = beside.map((part) => part.textContent).join(" ") + " " + article.id.slice(3);
      found = { head: fold(head), body: fold(body(article)) };
      known.set(article, found);
    }
    return found;
  }

  function score(article, ask) {
    if (ask.kind && article.dataset.kind !== ask.kind) return 0;
    if (ask.quarter && article.dataset.quarter !== ask.quarter) return 0;
    if (ask.tag && ![...article.querySelectorAll(":scope > p .tag")].some((tag) => (tag.dataset.tag || tag.textContent) === ask.tag)) return 0;
    const { words, without } = ask.terms;
    if (!words.length) return 1;
    const { head, body } = texts(article);
    let sum = 0;
    for (const word of words) {
      const inBody = count(body, word), inHead = count(head, word);
      if (!inBody && !inHead) return 0;
      sum += inBody + (inHead ? 8 : 0);
    }
    if (without.some((word) => count(head, word) || count(body, word))) return 0;
    return article.classList.contains("past") ? sum / 2 : sum;
  }

  // --- searching, a little at a time, so that the page never stands still ----------------------

  let job = 0, shown = PAGE;
  const places = new Map(); // where one was, by address

  function search(ask, done) {
    const mine = ++job, hits = [], rows = new Map();
    let at = 0, drawn = -REDRAW;
    (function slice() {
      if (mine !== job) return;
      const stop = performance.now() + SLICE;
      while (at < articles.length && performance.now() < stop) {
        const points = score(articles[at], ask);
        if (points) hits.push({ points, at });
        at += 1;
      }
      const over = at === articles.length;
      if (over || performance.now() - drawn > REDRAW) { draw(ask, hits, at, rows); drawn = performance.now(); }
      if (!over) setTimeout(slice); else if (done) done();
    })();
  }

  function draw(ask, hits, at, rows) {
    hits.sort((a, b) => b.points - a.points || a.at - b.at);
    const made = ({ at }) => rows.get(at) || rows.set(at, row(articles[at], ask)).get(at);
    results.querySelector("ol").replaceChildren(...hits.slice(0, shown).map(made));
    results.querySelector("button").hidden = hits.length <= shown;
    const words = hits.length === 1 ? "1 episode" : `${hits.length.toLocaleString("en")} episodes`;
    const rest = at < articles.length ? `, ${at.toLocaleString("en")} of ${articles.length.toLocaleString("en")} looked at` : "";
    status.textContent = hits.length || rest ? words + rest : "Nothing found. Try fewer words, or another form of them.";
  }

  function row(article, ask) {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("span");
    link.href = `#${encodeURIComponent(article.id)}`;
    link.dir = "auto";
    link.textContent = article.querySelector("h2").textContent;
    small.className = "small";
    small.textContent = article.querySelector(".when").textContent;
    item.append(link, " ", small);
    if (ask.terms.words.length) item.append(piece(article, ask.terms.words));
    return item;
  }

  function piece(article, words) {
    const out = document.createElement("p");
    out.className = "small";
    out.dir = "auto";
    const runs = body(article).trim().split(" ");
    const first = Math.max(0, runs.findIndex((run) => words.some((word) => fold(run).includes(word))));
    let left = 180;
    for (const run of runs.slice(Math.max(0, first - 6), first + 30)) {
      if ((left -= run.length + 1) < 0) break;
      marked(out, run, words);
    }
    return out;
  }

  function marked(out, run, words) {
    const folded = fold(run), word = words.find((one) => folded.includes(one));
    const at = word && folded.length === run.length ? folded.indexOf(word) : -1;
    if (at < 0) return out.append(run, " ");
    const mark = document.createElement("mark");
    mark.textContent = run.slice(at, at + word.length);
    return out.append(run.slice(0, at), mark, run.slice(at + word.length), " ");
  }

  // --- the address says what is shown ---------------------------------------------------------

  function given() {
    const pairs = Object.entries(fields).map(([name, field]) => [name, field.value.trim()]);
    return new URLSearchParams(pairs.filter(([, value]) => value)).toString();
  }
  function show(searching) {
    shelf.hidden = searching;
    results.hidden = !searching;
    if (!searching) { job += 1; status.textContent = ""; }
  }
  function ask(query, done) {
    const params = new URLSearchParams(query), found = {};
    for (const [name, field] of Object.entries(fields)) {
      found[name] = params.get(name) || "";
      if (field.value.trim() !== found[name]) field.value = found[name];
    }
    show(true);
    search({ ...found, terms: asked(found.q) }, done);
  }
  function clear() {
    Object.values(fields).forEach((field) => { field.value = ""; });
    show(false);
  }
  function arrive(byLink) {
    const hash = location.hash.slice(1);
    if (hash[0] === "?") return ask(hash.slice(1), () => scrollTo(0, places.get(location.hash) || 0));
    clear();
    const target = hash && byId(decodeURIComponent(hash));
    if (!target) return byLink || scrollTo(0, places.get(location.hash) || 0);
    const fold = target.querySelector(":scope > details");
    if (fold && !target.matches("#contents")) opened(fold);
    if (!byLink) return undefined;
    target.tabIndex = -1;
    requestAnimationFrame(() => target.focus({ preventScroll: true })); // it would lay out once more
    return reach(target);
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
    places.set(location.hash, scrollY);
    history.pushState(null, "", link.getAttribute("href"));
    arrive(true);
  });
  addEventListener("hashchange", () => arrive(false));

  let waiting = 0;
  function changed() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const query = given(), searching = location.hash.startsWith("#?");
      shown = PAGE;
      if (!query && !searching) return show(false);
      if (!searching) places.set(location.hash, scrollY);
      history[searching ? "replaceState" : "pushState"](null, "", query ? `#?${query}` : "#");
      return query ? ask(query) : clear();
    }, 120);
  }
  tools.addEventListener("input", changed);
  results.querySelector("button").addEventListener("click", () => { shown += PAGE; ask(given()); });

  // --- keys -----------------------------------------------------------------------------------

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "/" && !typing) { event.preventDefault(); fields.q.focus(); }
    if (event.key === "Escape" && !results.hidden) { Object.values(fields).forEach((field) => { field.value = ""; }); changed(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
  });
  function step(event) {
    const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (results.hidden || (at < 0 && event.target !== fields.q)) return;
    const next = event.key === "ArrowDown" ? links[at + 1] : links[at - 1] || fields.q;
    if (next) { event.preventDefault(); next.focus(); }
  }

  // --- begin ----------------------------------------------------------------------------------

  function choices(name, values) {
    for (const [value, words] of values) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = words;
      fields[name].append(option);
    }
    fields[name].hidden = values.length < 2;
  }
  const distinct = (name) => [...new Set(articles.map((article) => article.dataset[name]))].filter(Boolean);
  choices("kind", distinct("kind").sort().map((kind) => [kind, kind]));
  choices("quarter", distinct("quarter").map((quarter) => [quarter, quarter]));
  choices("tag", [...document.querySelectorAll("#tags details details")].map((one) => [one.dataset.tag, one.querySelector("bdi").textContent]));
  if (articles.length > 1) document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });
  arrive(true);
})();
