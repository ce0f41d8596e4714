// Words: the server's own catalogue, so that page, terminal and log say the same.

import { visible } from "/dom.js";

let strings = {};
let language = "en";

/** Load a language and say it everywhere in the document. */
export async function load(lang) {
  const answer = await fetch(`/strings/${lang}.json`);
  strings = await answer.json();
  language = lang;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  apply(document);
}

export const lang = () => (language === "zh" ? "zh-CN" : "en");

/** The text of a key with its parameters, or the key itself where there is none. */
export function say(key, params = {}) {
  const text = strings[key] ?? key;
  const filled = (all, name) => (name in params ? visible(String(params[name])) : all);
  return text.replace(/\{(\w+)\}/g, filled);
}

/** Fill in every element that names its words: data-say, data-label, data-hint. */
export function apply(root) {
  for (const node of root.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of root.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", say(node.dataset.label));
  }
  for (const node of root.querySelectorAll("[data-hint]")) {
    node.placeholder = say(node.dataset.hint);
  }
}
