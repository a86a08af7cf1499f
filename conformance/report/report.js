'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const cases = [...document.querySelectorAll('.case')];
  const areas = [...document.querySelectorAll('.area')];
  const chips = [...document.querySelectorAll('.totals input')];
  const form = $('filter'), text = $('q'), area = $('area'), level = $('level'), fold = $('fold');

  const verdictOf = (c) => c.classList[1];
  const shown = () => cases.filter((c) => !c.hidden && !c.parentElement.hidden);
  const headOf = (c) => c.querySelector('summary');

  // ---- the filter

  // Not in what the case does: every case speaks of sessions and stop reasons there.
  const texts = new Map();
  function textOf(c) {
    if (!texts.has(c)) {
      const parts = c.querySelectorAll(':scope > summary, .reason, .checks, .seq');
      texts.set(c, [c.dataset.t, ...[...parts].map((part) => part.textContent)].join(' ').toLowerCase());
    }
    return texts.get(c);
  }

  function matches(c, words, verdicts) {
    return (!verdicts.size || verdicts.has(verdictOf(c)))
      && (!area.value || c.parentElement.id === area.value)
      && (!level.value || c.dataset.l.split(';').includes(level.value))
      && words.every((word) => textOf(c).includes(word));
  }

  function apply() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = new Set(chips.filter((chip) => chip.checked).map((chip) => chip.value));
    let n = 0;
    for (const c of cases) {
      c.hidden = !matches(c, words, verdicts);
      n += !c.hidden;
    }
    for (const section of areas) section.hidden = ![...section.querySelectorAll('.case')].some((c) => !c.hidden);
    $('nothing').hidden = n > 0;
    $('shown').value = `${n} of ${cases.length} case${cases.length === 1 ? '' : 's'}`;
    nameFold();
  }

  function addOption(select, value, label) {
    select.add(new Option(label, value));
  }

  // ---- folding

  function nameFold() {
    const all = shown();
    fold.textContent = all.length && all.every((c) => c.open) ? 'Close all' : 'Open all';
  }

  fold.addEventListener('click', () => {
    const open = fold.textContent === 'Open all';
    for (const c of shown()) c.open = open;
    nameFold();
  });

  // Links lead into what is folded or filtered out.
  function reveal(target) {
    const c = target && target.closest('.case');
    if (c && c.hidden) form.reset();
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    if (!target) return;
    target.scrollIntoView();
    if (target.tagName === 'DETAILS') headOf(target).focus({ preventScroll: true });
  }

  const atHash = () => reveal($(decodeURIComponent(location.hash.slice(1))));

  // ---- keys

  function go(to) {
    if (!to) return;
    headOf(to).focus();
    headOf(to).scrollIntoView({ block: 'nearest' });
  }

  function move(by) {
    const all = shown(), at = all.indexOf(document.activeElement.closest('.case'));
    go(at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by]);
  }

  const typing = (e) => e.matches('input[type=search], select, textarea');
  const onCase = (e) => e.tagName === 'SUMMARY' && e.parentElement.classList.contains('case');

  const keys = {
    '/': () => { text.focus(); text.select(); },
    j: () => move(1),
    k: () => move(-1),
    Escape: () => { form.reset(); text.blur(); },
  };
  const arrows = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Home: () => go(shown()[0]), End: () => go(shown().at(-1)) };
  const inText = { Escape: keys.Escape, ArrowDown: () => go(shown()[0]), Enter: () => go(shown()[0]) };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const active = document.activeElement;
    const table = active === text ? inText : typing(active) ? {} : onCase(active) ? { ...keys, ...arrows } : keys;
    if (!Object.hasOwn(table, event.key)) return;
    event.preventDefault();
    table[event.key]();
  });

  // ---- the start

  document.documentElement.classList.add('js');
  for (const e of document.querySelectorAll('.controls, .keys, .totals input')) e.hidden = false;
  for (const section of areas) addOption(area, section.id, section.querySelector('h3').textContent);
  for (const name of new Set([...document.querySelectorAll('td a')].map((a) => a.dataset.l))) addOption(level, name, name);
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  document.querySelector('#cases').addEventListener('toggle', nameFold, true);
  $('matrix').addEventListener('click', (event) => {
    const a = event.target.closest('a');
    if (!a) return;
    area.value = a.hash.slice(1);
    level.value = a.dataset.l || '';
    apply();
  });
  addEventListener('hashchange', atHash);
  addEventListener('scroll', () => document.body.classList.toggle('stuck', form.getBoundingClientRect().top <= 0), { passive: true });
  apply();
  if (location.hash) atHash();
})();
