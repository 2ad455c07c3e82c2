// Runs in a page before anything of its own, and tells through `bench` when things were seen.
// Times are milliseconds. Of the page it knows what a reader sees: articles with a fold, links to
// them, a search field (#q), its results (#results) and how far it is (#status).
globalThis.bench = (() => {
  const NOT_LONG = 50; // no shorter task is told of
  const LIMIT = 120000; // what takes longer does not come any more
  const tasks = [];
  const keep = (list) => tasks.push(...list.getEntries().map((entry) => entry.duration));
  new PerformanceObserver(keep).observe({ type: "longtask", buffered: true });

  const frame = () => new Promise(requestAnimationFrame);
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const late = async (what) => { await pause(LIMIT); throw new Error(`${what}: nothing within ${LIMIT / 1000} s`); };
  const articles = () => [...document.querySelectorAll("#episodes article")];
  const foldOf = (article) => article.querySelector(":scope > details");

  // The page stands: it was loaded, two frames were drawn, and nothing is left to lay out.
  async function laid() {
    if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done));
    await frame();
    await frame();
    document.body.getBoundingClientRect();
    const now = performance.now();
    await pause(100); // the paint is told of a little later
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return { laid: now, paint: paint ? paint.startTime : null };
  }

  // The longest task since it was asked last.
  async function longest() {
    await pause(200);
    return Math.max(NOT_LONG, ...tasks.splice(0));
  }

  // Where to tap: the middle of an element, once it is in view and stays there.
  async function place(element) {
    let before = NaN, still = 0, box;
    for (let tries = 0; tries < 60 && still < 3; tries += 1) {
      element.scrollIntoView({ block: "center", behavior: "instant" });
      await frame();
      box = element.getBoundingClientRect();
      still = box.top === before ? still + 1 : 0;
      before = box.top;
    }
    return { x: box.left + Math.min(20, box.width / 2), y: box.top + Math.min(20, box.height / 2) };
  }

  // Some links to episodes, as a reader finds them: to the nearest, a middling, the farthest.
  function links() {
    const order = new Map(articles().map((article, at) => [`#${article.id}`, at]));
    const found = [...document.querySelectorAll("#start a, #contents a")]
      .filter((link) => order.has(link.getAttribute("href")) && !foldOf(target(link)).open)
      .sort((a, b) => order.get(a.getAttribute("href")) - order.get(b.getAttribute("href")));
    return spread(found);
  }
  const target = (link) => document.getElementById(link.getAttribute("href").slice(1));
  const spread = (all) => [...new Set([all.at(-1), all[Math.floor(all.length / 2)], all[0]])].filter(Boolean);

  // Some folds, and the one that holds most.
  const folds = () => spread(articles().map(foldOf).filter((fold) => !fold.open).slice(1)).map(summary);
  const summary = (fold) => fold.querySelector(":scope > summary");
  function fullest() {
    const closed = articles().map(foldOf).filter((fold) => !fold.open);
    const size = (fold) => fold.textContent.length;
    return summary(closed.reduce((most, fold) => (size(fold) > size(most) ? fold : most)));
  }

  // From the tap to the episode that is open, in its place, and stays there in the next frame.
  let opening;
  function opens(element) {
    const article = element.closest("article") || target(element), fold = foldOf(article);
    opening = new Promise((done) => {
      addEventListener("click", async ({ timeStamp }) => {
        let since = 0;
        for (;;) {
          const now = await frame();
          const { top, bottom } = article.getBoundingClientRect();
          const seen = fold.open && !fold.querySelector(":scope > noscript") && bottom > 0 && top < innerHeight;
          if (since && seen) return done(since - timeStamp);
          since = seen ? Math.max(now, performance.now()) : 0;
        }
      }, { capture: true, once: true });
    });
  }

  // From the last letter to the first results of the whole word, and to the last of them.
  let searching;
  function searches(word) {
    let typed = 0, first = 0;
    const status = document.getElementById("status"), results = document.getElementById("results");
    document.getElementById("q").addEventListener("input", (event) => { typed = event.timeStamp; });
    searching = new Promise((done) => {
      const look = async () => {
        const asked = new URLSearchParams(location.hash.slice(2)).get("q");
        if (asked !== word || results.hidden) return;
        const ended = !status.textContent.includes("looked at"), any = results.querySelector("li");
        await frame();
        if (any) first ||= performance.now();
        if (ended) done({ first: (first || performance.now()) - typed, all: performance.now() - typed });
      };
      new MutationObserver(look).observe(status, { childList: true, characterData: true, subtree: true });
    });
  }

  return {
    laid, longest, place, links, folds, fullest, opens, searches,
    opened: () => Promise.race([opening, late("an opened episode")]),
    searched: () => Promise.race([searching, late("a search")]),
  };
})();
