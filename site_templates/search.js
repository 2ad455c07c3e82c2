"use strict";
// Search by the same rules as `memshelf search`, for the phone file and the site: words, points, and
// results that are drawn a little at a time, so that the page never stands still.
const memshelf = (() => {
  const SLICE = 30, REDRAW = 150, PAGE = 30; // milliseconds of work, between two looks; results shown

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

  // --- points: an item has kind, quarter, tags, past, and two folded texts: head and body ----------

  function score(item, ask) {
    if (ask.kind && item.kind !== ask.kind) return 0;
    if (ask.quarter && item.quarter !== ask.quarter) return 0;
    if (ask.tag && !item.tags.includes(ask.tag)) return 0;
    const { words, without } = ask.terms;
    if (!words.length) return 1;
    const { head, body } = item.texts();
    let sum = 0;
    for (const word of words) {
      const inBody = count(body, word), inHead = count(head, word);
      if (!inBody && !inHead) return 0;
      sum += inBody + (inHead ? 8 : 0);
    }
    if (without.some((word) => count(head, word) || count(body, word))) return 0;
    return item.past ? sum / 2 : sum;
  }

  // --- a piece of a text around what was asked for ----------------------------------------------

  function piece(text, words) {
    const out = document.createElement("p");
    out.className = "small";
    out.dir = "auto";
    const runs = text.trim().split(" ");
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

  function row(item, ask) {
    const line = document.createElement("li"), link = document.createElement("a"), small = document.createElement("span");
    link.href = item.href;
    link.dir = "auto";
    link.textContent = item.title;
    small.className = "small";
    small.textContent = item.when;
    line.append(link, " ", small);
    if (ask.terms.words.length) line.append(piece(item.plain(), ask.terms.words));
    return line;
  }

  // --- the results of one question ---------------------------------------------------------------

  // `results` holds a list and a button for more of it, `status` what is said of them; `fields` are
  // the inputs q, kind, quarter and tag. Items may come later: `wait(item)` promises one's texts.
  function panel({ items, results, status, fields, wait }) {
    const list = results.querySelector("ol"), button = results.querySelector("button");
    let job = 0, shown = PAGE;

    function search(ask, done) {
      const mine = ++job, hits = [], rows = new Map();
      let at = 0, drawn = -REDRAW;
      (function slice() {
        if (mine !== job) return;
        const stop = performance.now() + SLICE;
        while (at < items.length && performance.now() < stop) {
          const later = wait && ask.terms.words.length && wait(items[at]);
          if (later) return draw(ask, hits, at, rows) || later.then(slice);
          const points = score(items[at], ask);
          if (points) hits.push({ points, at });
          at += 1;
        }
        const over = at === items.length;
        if (over || performance.now() - drawn > REDRAW) { draw(ask, hits, at, rows); drawn = performance.now(); }
        if (!over) setTimeout(slice); else if (done) done();
      })();
    }

    function draw(ask, hits, at, rows) {
      hits.sort((a, b) => b.points - a.points || a.at - b.at);
      const made = ({ at }) => rows.get(at) || rows.set(at, row(items[at], ask)).get(at);
      list.replaceChildren(...hits.slice(0, shown).map(made));
      button.hidden = hits.length <= shown;
      const words = hits.length === 1 ? "1 episode" : `${hits.length.toLocaleString("en")} episodes`;
      const rest = at < items.length ? `, ${at.toLocaleString("en")} of ${items.length.toLocaleString("en")} looked at` : "";
      status.textContent = hits.length || rest ? words + rest : "Nothing found. Try fewer words, or another form of them.";
    }

    return {
      // What the fields hold, as an address holds it.
      given() {
        const pairs = Object.entries(fields).map(([name, field]) => [name, field.value.trim()]);
        return new URLSearchParams(pairs.filter(([, value]) => value)).toString();
      },
      ask(query, done) {
        const params = new URLSearchParams(query), found = {};
        for (const [name, field] of Object.entries(fields)) {
          found[name] = params.get(name) || "";
          if (field.value.trim() !== found[name]) field.value = found[name];
        }
        search({ ...found, terms: asked(found.q) }, done);
      },
      stop() { job += 1; status.textContent = ""; },
      clear() { Object.values(fields).forEach((field) => { field.value = ""; }); },
      first() { shown = PAGE; },
      more() { shown += PAGE; },
      choices(name, values) {
        for (const [value, words] of values) {
          const option = document.createElement("option");
          option.value = value;
          option.textContent = words;
          fields[name].append(option);
        }
        fields[name].hidden = values.length < 2;
      },
    };
  }

  // --- keys: / to the field, up and down through the results, Escape away from them ---------------

  function keys({ results, field, away }) {
    function step(event) {
      const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement);
      if (results.hidden || (at < 0 && event.target !== field)) return;
      const next = event.key === "ArrowDown" ? links[at + 1] : links[at - 1] || field;
      if (next) { event.preventDefault(); next.focus(); }
    }
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.matches("input, select, textarea");
      if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
      if (event.key === "Escape" && !results.hidden) away();
      if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
    });
  }

  return { fold, panel, keys };
})();
