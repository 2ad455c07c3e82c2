"use strict";
// Search by the same rules as `memshelf search`, for the phone file and the site: words, points, and
// results that are drawn a little at a time, so that the page never stands still.
const memshelf = (() => {
  const SLICE = 30, REDRAW = 150, PAGE = 30; // milliseconds of work, between two looks; results shown

  // --- words: the same rules as `memshelf search`, from the same table -----------------------------

  const TABLE = {{ table }};
  for (const name of ["run", "in"]) TABLE[name] = TABLE[name].replaceAll("@", TABLE.vowels);
  function regex(source, flags) {
    try { return new RegExp(source, flags); }
    catch { return new RegExp(source.replace(/\(\?<[=!][^)]*\)/g, ""), flags); } // an old browser
  }
  const all = (name) => regex(TABLE[name], "gu"), whole = (name) => regex(`^(?:${TABLE[name]})$`, "u");
  const RUN = all("run"), MARKED = all("marked"), JOINTS = all("joints");
  const DENSE = all("dense"), DENSELY = whole("dense"), SPACES = all("spaces"), CAMEL = all("camel"), MIXED = regex(TABLE.mixed, "u");
  const GROUPED = whole("grouped"), VERSION = whole("version"), NUMBERED = whole("numbered"), SIGNED = whole("signed");
  const MARKS = new RegExp(TABLE.marks, "g"), UNSEEN = new RegExp(TABLE.unseen, "g");
  const ENDS = new RegExp(`^[${TABLE.edges}]+|[${TABLE.edges}]+$`, "g"), SMALL = new Set(TABLE.small.split(" "));
  const MORE = new RegExp(`[${Object.keys(TABLE.cased).join("")}]`, "g"); // where folding is more than lower case
  const SHORT_I = "\ue000"; // stands for й, a letter of its own, while marks are taken away

  const cased = (text) => text.toLowerCase().replace(MORE, (char) => TABLE.cased[char]);
  function fold(text) {
    if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase();
    const kept = cased(text).replace(/и\u0306|й/g, SHORT_I);
    const plain = kept.normalize("NFKD").replaceAll("\u0345", TABLE.cased["\u0345"]).replace(MARKS, "").replaceAll(SHORT_I, "й");
    return cased(plain).normalize("NFC");
  }

  const cut = (token) => token.length > TABLE.longest ? [...token].slice(0, TABLE.longest).join("") : token;
  const split = (text, by) => text.split(by).filter(Boolean);

  function* tokensOf(run) {
    for (const piece of run.replace(UNSEEN, "").normalize("NFKC").split(DENSE)) {
      if (DENSELY.test(piece)) yield* pairs([...fold(piece)]);
      else if (GROUPED.test(piece)) yield number(piece);
      else for (const one of piece.split(SPACES)) yield* new Set(ofPiece(one.replace(ENDS, "")));
    }
  }
  const pairs = (chars) => chars.map((char, at) => char + (chars[at + 1] || ""));
  const number = (piece) => cut(piece.replace(/\P{Nd}/gu, ""));

  function* ofPiece(piece) {
    if (SIGNED.test(piece)) return yield fold(piece);
    const plain = piece.replace(/^[+#]+|[+#]+$/g, "");
    if (GROUPED.test(plain)) yield number(plain);
    else if (plain) for (const one of plain.split(MARKED)) yield* ofParts(split(one, JOINTS));
    if (piece === `#${plain}` && /^[\p{L}\p{N}]+$/u.test(plain)) yield cut(fold(piece));
  }
  function* ofParts(parts) {
    const shown = parts.flatMap(finer).map(fold);
    if (shown.length === 1) return yield* ofWord(shown[0]);
    for (const part of shown) if (/^(..|\p{Nd})/su.test(part)) yield cut(part);
    if (parts.length <= TABLE.parts) yield cut(shown.join("").replaceAll(".", ""));
  }
  function* ofWord(word) {
    const version = VERSION.exec(word), numbered = version ? null : NUMBERED.exec(word);
    yield cut(version ? version[1] : word);
    if (numbered) yield cut(numbered[1]);
  }
  const camel = (piece) => !/[^\x00-\x7f]/.test(piece) && MIXED.test(piece) ? piece.match(CAMEL) : [piece];
  const finer = (part) => VERSION.test(part) ? [part] : split(part, ".").flatMap(camel);

  // A text as its tokens between spaces; what runs stand for is remembered.
  const known = new Map();
  function meant(run) {
    if (known.size > 1e5) known.clear();
    if (!known.has(run)) known.set(run, [...tokensOf(run)].filter(Boolean).join(" "));
    return known.get(run);
  }
  const stream = (text) => ["", ...(text.match(RUN) || []).map(meant).filter(Boolean), ""].join(" ") || " ";
  const tokens = (text) => split(stream(text), " ");

  // --- a question: words of which none has to be there, "phrases" that must, and -words that must not

  const QUOTED = regex(`(${TABLE.dash})?(?:${TABLE.quoted})`, "gu"), REFUSED = regex(`${TABLE.minus}(${TABLE.run})`, "gu");
  const PARTICLES = all("particles"), HIRAGANA = whole("hiragana"), FILLING = new RegExp(`[${TABLE.filling}]`);

  function asked(text) {
    const wanted = [], refused = [], quoted = [], unquoted = [];
    let at = 0;
    const sign = (part) => wanted.push(part.replace(REFUSED, (_, run) => refused.push(run) && " "));
    for (const found of text.matchAll(QUOTED)) { // in quotes a minus is a sign like any other
      const said = found.slice(2).find(Boolean) || "";
      sign(text.slice(at, found.index));
      if (found[1]) unquoted.push(said); else { quoted.push(said); wanted.push(said); }
      at = found.index + found[0].length;
    }
    sign(text.slice(at));
    const terms = termsOf(wanted.join(" ")), phrases = phrasesOf(quoted), none = !terms.length && !phrases.length;
    const found = none ? termsOf([...refused, ...unquoted].join(" ")) : terms, telling = found.filter((term) => !term.small);
    const [spoken, without] = none ? [phrasesOf(unquoted), []] : [phrases, phrasesOf([...refused, ...unquoted])];
    return { terms: telling.length ? telling : found, phrases: spoken, without };
  }
  // Phrases as tokens between spaces, but for the last one where a script without spaces may go on.
  function phrasesOf(texts) {
    const all = texts.map(tokens).filter((words) => words.length);
    return all.map((words) => words.length > 1 && single(words.at(-1)) && words.at(-2).endsWith(words.at(-1)) ? words.slice(0, -1) : words)
      .map((words) => words.length === 1 && single(words[0]) ? ` ${words[0]}` : ` ${words.join(" ")} `);
  }
  const single = (word) => [...word].length === 1 && DENSELY.test(word);
  function termsOf(text) {
    const bare = text.replace(PARTICLES, " "), found = new Map();
    for (const run of bare.match(RUN) || text.match(RUN) || []) {
      const parts = split(meant(run), " ");
      parts.forEach((word, at) => { if (!found.has(word)) found.set(word, term(run, word, at, parts.length)); });
    }
    return [...found.values()].filter(Boolean);
  }
  function term(run, word, at, of) {
    if (DENSELY.test(word)) {
      if (of > 1 && [...word].length < 2) return null;
      return { word, written: run, small: HIRAGANA.test(word) || FILLING.test(word) };
    }
    const loud = run.length > 1 && run === run.toUpperCase() && run !== run.toLowerCase();
    const beside = of > 1 && at === of - 1; // of a compound the whole: its parts are terms too
    return { word, written: of === 1 || beside ? run : word, small: of === 1 && !loud && SMALL.has(fold(run)), beside, stem: stem(word) };
  }
  // How other forms of a word begin, roughly.
  function stem(word) {
    if (!/^\p{L}{4,}$/u.test(word) || /^[a-z]{4}$/.test(word)) return "";
    return word.slice(0, word.length < 6 ? -1 : word.length < 8 ? -2 : word.length < 9 ? -3 : -4);
  }

  // --- points: an item has kind, quarter, tags, past, and its texts as tokens -----------------------

  // What is looked through for tokens: a text as it stands, folded, and behind it the tokens of such
  // runs as hold more than one word. To cut up all runs would take three times as long.
  const MORE_INSIDE = /[-'’._][^\s*`]|[A-Za-z][A-Z]|\d[ ,\u00a0\u2009\u202f]\d{3}/g;
  const PART = regex(`^(?!${TABLE.dense})[${TABLE.edges}${TABLE.in}]`, "u"), parts = new Map();
  function part(text, at) { // whether a character belongs to a run that is cut up
    const char = text[at] || "";
    if (!parts.has(char)) parts.set(char, PART.test(char));
    return parts.get(char);
  }
  function laid(text) {
    const plain = text.replace(UNSEEN, "");
    let more = "";
    MORE_INSIDE.lastIndex = 0;
    for (let found; (found = MORE_INSIDE.exec(plain));) {
      let from = found.index, to = MORE_INSIDE.lastIndex;
      while (from > 0 && part(plain, from - 1)) from -= 1;
      while (part(plain, to) || (/^[ \u00a0\u2009\u202f]\d\d\d/.test(plain.slice(to, to + 4)) && /\d/.test(plain[to - 1]))) to += 1;
      MORE_INSIDE.lastIndex = to;
      if (to - from < 1e3) more += meaning(plain.slice(from, to));
    }
    return ` ${fold(plain)} ${more}`;
  }
  const meanings = new Map();
  function meaning(runs) {
    if (meanings.size > 1e5) meanings.clear();
    if (!meanings.has(runs)) meanings.set(runs, stream(runs));
    return meanings.get(runs);
  }
  // An item's title, what names it, and all the rest, with where the first two end.
  function texts(title, head, body) {
    const first = laid(title), second = laid(head);
    return { text: first + second + laid(body), title: first.length, head: first.length + second.length };
  }

  const ENOUGH = 12, NEAR = 40, LEAST = 0.05; // points of one word; characters; what an everyday word weighs
  // What an item holds of each term: how much, roughly where, and whether in this form; or nothing.
  function held(item, ask) {
    if (ask.kind && item.kind !== ask.kind) return null;
    if (ask.quarter && item.quarter !== ask.quarter) return null;
    if (ask.tag && !item.tags.includes(ask.tag)) return null;
    const { terms, phrases, without } = ask.asked;
    if (!terms.length) return { found: [], size: 0 };
    const inside = item.texts();
    const says = (phrase) => spoken(item, inside, phrase), alone = (phrase) => split(phrase, " ").length < 2;
    if (without.some((one) => alone(one) ? places(inside, one.trim()) : says(one)) || !phrases.every(says)) return null;
    return { found: terms.map((one) => places(inside, one.word) || (one.stem && places(inside, one.stem, true)) || null), size: inside.text.length };
  }
  const spoken = (item, inside, phrase) => split(phrase, " ").every((word) => inside.text.includes(word)) && stream([item.title, ...item.tags, item.plain()].join(" . ")).includes(phrase);
  const INSIDE = regex(`(?!${TABLE.dense})[\\p{L}\\p{N}_${TABLE.vowels}]`, "u"); // of a word, which ends where a script without spaces begins
  const before = (text, at) => /[\udc00-\udfff]/.test(text[at - 1]) ? text.slice(at - 2, at) : text[at - 1];
  function places({ text, title, head }, word, other = false) {
    const at = [], anywhere = DENSELY.test(word), size = word.length;
    let sum = 0;
    for (let here = text.indexOf(word); here >= 0 && sum < ENOUGH; here = text.indexOf(word, here + size)) {
      if (!anywhere && INSIDE.test(before(text, here))) continue;
      sum += (here < title ? 5 : here < head ? 3 : 1) * (anywhere || !INSIDE.test(text[here + size]) ? 1 : 0.7);
      at.push(here);
    }
    return sum ? { sum, at, other } : null;
  }

  // Counts in how many of the items that were looked at each term stands, and so what it weighs.
  class Ranking {
    constructor({ terms }) {
      Object.assign(this, { terms, same: terms.map(() => 0), any: terms.map(() => 0), looked: 0, size: 0, hits: [] });
    }
    take(item, at, found) {
      if (!found) return;
      this.looked += 1;
      this.size += found.size;
      found.found.forEach((one, term) => { if (one) { this.any[term] += 1; if (!one.other) this.same[term] += 1; } });
      if (!this.terms.length || found.found.some(Boolean)) this.hits.push({ at, past: item.past, size: found.size, near: near(found.found, this.terms), found: found.found.map((one) => one && (one.other ? -one.sum : one.sum)) });
    }
    weight(count) { return Math.max(LEAST, Math.log(1 + (this.looked - count + 0.5) / (count + 0.5))); }
    get sorted() {
      const any = this.any.map((count) => this.weight(count)), same = this.same.map((count, at) => (this.weight(count) + any[at]) / 2);
      const mean = this.size / this.looked || 1;
      for (const hit of this.hits) {
        const norm = 1.2 * (0.5 + 0.5 * hit.size / mean);
        let sum = 0;
        hit.found.forEach((held, at) => {
          if (held) sum += (this.terms[at].beside ? 0.5 : 1) * (held > 0 ? same[at] : any[at] / 2) * 2.2 * Math.abs(held) / (Math.abs(held) + norm);
        });
        for (const at of hit.near) sum += Math.min(any[at], any[at + 1]) / 2;
        hit.points = hit.past ? sum / 2 : sum;
      }
      return this.hits.sort((a, b) => b.points - a.points || a.at - b.at);
    }
    // What was asked for and stands nowhere, as it was written.
    get unknown() {
      const there = new Set(this.terms.filter((one, at) => one.beside || this.any[at]).map((one) => one.written));
      return [...new Set(this.terms.map((one) => one.written))].filter((word) => !there.has(word)).slice(0, 5);
    }
  }
  // Which terms stand near the next one of the question.
  function near(found, terms) {
    const beside = (at) => found[at] && found[at + 1] && !terms[at + 1].beside && found[at].at.some((a) => found[at + 1].at.some((b) => Math.abs(a - b) < NEAR));
    return found.length > 1 ? [...found.keys()].filter(beside) : [];
  }

  // --- a piece of a text around what was asked for ----------------------------------------------

  function piece(text, terms) {
    const out = document.createElement("p");
    out.className = "small";
    out.dir = "auto";
    const runs = text.trim().match(/\S{1,40}\s*/gu) || [];
    const holds = (run) => { const text = ` ${fold(run)} `; return terms.findIndex((one) => places({ text }, one.word) || (one.stem && places({ text }, one.stem))); };
    const start = Math.max(0, runs.findIndex((run) => holds(run) >= 0)), which = runs.slice(start, start + (terms.length > 1 ? 80 : 40)).map(holds);
    let best = start, most = 0, left = 180;
    which.forEach((one, at) => {
      const many = one < 0 ? 0 : new Set(which.slice(at, at + 24).filter((other) => other >= 0)).size;
      if (many > most) { most = many; best = start + at; }
    });
    for (let back = 40; best > 0 && back > runs[best - 1].length; best -= 1) back -= runs[best - 1].length;
    let at = best;
    if (best > 0) out.append("… ");
    for (; at < runs.length && (left -= runs[at].length) >= 0; at += 1) out.append(...marked(runs[at], terms[which[at - start]]));
    if (at < runs.length) out.append("…");
    return out;
  }

  function marked(run, term) {
    if (!term) return [run];
    const folded = fold(run), mark = document.createElement("mark"), text = run.trimEnd();
    const at = folded.length === run.length ? folded.indexOf(term.word) : -1;
    const [from, to] = at < 0 ? [0, text.length] : [at, at + term.word.length];
    mark.textContent = run.slice(from, to);
    return [run.slice(0, from), mark, run.slice(to)];
  }

  function row(item, ask) {
    const line = document.createElement("li"), link = document.createElement("a"), small = document.createElement("span");
    link.href = item.href;
    link.dir = "auto";
    link.textContent = item.title;
    const [day, ...rest] = item.when.split(" · "), first = document.createElement("i");
    small.className = "small";
    first.textContent = day;
    small.append(first, ...rest.map((one) => ` · ${one}`));
    line.append(link, " ", small);
    if (ask.asked.terms.length) line.append(piece(item.plain(), ask.asked.terms));
    return line;
  }

  // --- the results of one question ---------------------------------------------------------------

  // `results` holds a list and a button for more of it, `status` what is said of them; `fields` are
  // the inputs q, kind, quarter and tag. Items may come later: `wait(item)` promises one's texts.
  function panel({ items, results, status, fields, wait }) {
    const list = results.querySelector("ol"), button = results.querySelector("button");
    let job = 0, shown = PAGE;

    // Whoever goes to the field is about to search: texts are laid out while the words are typed.
    function prepare() {
      const mine = job;
      let at = 0;
      (function slice() {
        const stop = performance.now() + SLICE;
        while (mine === job && at < items.length && performance.now() < stop) items[at++].texts();
        if (mine === job && at < items.length) setTimeout(slice);
      })();
    }
    if (!wait) fields.q.addEventListener("focus", prepare, { once: true });

    function search(ask, done) {
      const mine = ++job, ranking = new Ranking(ask.asked), rows = new Map();
      let at = 0, again = 0; // when results are to be drawn again: it takes a tenth of the time
      (function slice() {
        if (mine !== job) return;
        const stop = performance.now() + SLICE;
        while (at < items.length && performance.now() < stop) {
          const later = wait && ask.asked.terms.length && wait(items[at]);
          if (later) return draw(ask, ranking, at, rows) || later.then(slice);
          ranking.take(items[at], at, held(items[at], ask));
          at += 1;
        }
        const over = at === items.length;
        const now = performance.now();
        if (over || now > again) { draw(ask, ranking, at, rows); again = now + Math.max(REDRAW, 10 * (performance.now() - now)); }
        if (!over) setTimeout(slice); else if (done) done();
      })();
    }

    function draw(ask, ranking, at, rows) {
      const hits = ranking.sorted;
      const made = ({ at }) => rows.get(at) || rows.set(at, row(items[at], ask)).get(at);
      list.replaceChildren(...hits.slice(0, shown).map(made));
      button.hidden = hits.length <= shown;
      const words = hits.length === 1 ? "1 episode" : `${hits.length.toLocaleString("en")} episodes`;
      const rest = at < items.length ? `, ${at.toLocaleString("en")} of ${items.length.toLocaleString("en")} looked at` : "";
      const without = rest || !ranking.unknown.length ? "" : `, none with “${ranking.unknown.join("” or “")}”`;
      status.textContent = hits.length || rest ? words + rest + without : "Nothing found. Try fewer words, or another form of them.";
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
        search({ ...found, asked: asked(found.q) }, done);
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

  // --- keys: / to the field, Enter to the results, up and down through them, Escape away ------------

  function keys({ results, field, away }) {
    function step(event) {
      const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement);
      if (results.hidden || (at < 0 && event.target !== field)) return;
      const next = event.key === "ArrowDown" ? links[at + 1] : links[at - 1] || field;
      if (next) { event.preventDefault(); next.focus(); }
    }
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return; // an input method's own
      const typing = event.target.matches("input, select, textarea");
      if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
      if (event.key === "Escape" && !results.hidden) away();
      if (event.key === "Enter" && event.target === field) (results.querySelector("a") || field).focus(); // a phone's keyboard goes
      if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
    });
  }

  const holds = (inside, word) => places(inside, word) !== null;
  return { fold, tokens, texts, holds, panel, keys };
})();
