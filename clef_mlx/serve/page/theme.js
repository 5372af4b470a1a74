// The chosen colours, before anything is painted: a saved choice, or the system's.
(() => {
  const saved = localStorage.getItem("clef.theme");
  if (saved) document.documentElement.dataset.theme = saved;
})();
