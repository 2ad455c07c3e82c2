// Lists of episodes, threads and decisions can be narrowed to a tag or a kind, where there is more
// than one to choose from. Without scripts they are whole.
(() => {
  function choice(label, values, change) {
    const holder = document.createElement("label"), select = document.createElement("select");
    for (const value of ["", ...values]) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value || "any";
      select.append(option);
    }
    select.addEventListener("change", change);
    holder.append(`${label} `, select);
    return { holder, select };
  }
  const tags = (item) => (item.dataset.tags || "").split("|").filter(Boolean);

  function start() {
    const items = [...document.querySelectorAll(".shelf li[data-kind]")];
    if (items.length < 2 || document.getElementById("narrow")) return;
    const bar = document.createElement("p"), status = document.createElement("span");
    bar.id = "narrow";
    bar.className = "shelf";
    status.setAttribute("role", "status");
    const sorted = (values) => [...new Set(values)].filter(Boolean).sort((a, b) => a.localeCompare(b));
    const tag = choice("Tag", sorted(items.flatMap(tags)), narrow);
    const kind = choice("Kind", sorted(items.map((item) => item.dataset.kind)), narrow);
    function narrow() {
      let left = 0;
      for (const item of items) {
        const fits = (!tag.select.value || tags(item).includes(tag.select.value)) && (!kind.select.value || item.dataset.kind === kind.select.value);
        item.hidden = !fits;
        left += fits ? 1 : 0;
      }
      status.textContent = tag.select.value || kind.select.value ? ` ${left} of ${items.length} episodes` : "";
    }
    const offered = [tag, kind].filter(({ select }) => select.length > 2); // "any" is one
    if (!offered.length) return;
    for (const { holder } of offered) bar.append(holder, " ");
    bar.append(status);
    document.querySelector(".md-typeset h2")?.before(bar);
  }
  if (window.document$) window.document$.subscribe(start); else start();
})();
