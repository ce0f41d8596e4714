// Characters by name: those of HTML 4. Others stay as they are written.

const LATIN = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg " +
  "macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 " +
  "frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml " +
  "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil " +
  "egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde " +
  "ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const OTHERS = "quot\" amp& lt< gt> apos' OElig\u0152 oelig\u0153 Scaron\u0160 scaron\u0161 " +
  "Yuml\u0178 fnof\u0192 circ\u02c6 tilde\u02dc Alpha\u0391 Beta\u0392 Gamma\u0393 " +
  "Delta\u0394 Epsilon\u0395 Zeta\u0396 Eta\u0397 Theta\u0398 Iota\u0399 Kappa\u039a " +
  "Lambda\u039b Mu\u039c Nu\u039d Xi\u039e Omicron\u039f Pi\u03a0 Rho\u03a1 Sigma\u03a3 " +
  "Tau\u03a4 Upsilon\u03a5 Phi\u03a6 Chi\u03a7 Psi\u03a8 Omega\u03a9 alpha\u03b1 beta\u03b2 " +
  "gamma\u03b3 delta\u03b4 epsilon\u03b5 zeta\u03b6 eta\u03b7 theta\u03b8 iota\u03b9 " +
  "kappa\u03ba lambda\u03bb mu\u03bc nu\u03bd xi\u03be omicron\u03bf pi\u03c0 rho\u03c1 " +
  "sigmaf\u03c2 sigma\u03c3 tau\u03c4 upsilon\u03c5 phi\u03c6 chi\u03c7 psi\u03c8 omega\u03c9 " +
  "ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f ndash\u2013 " +
  "mdash\u2014 lsquo\u2018 rsquo\u2019 sbquo\u201a ldquo\u201c rdquo\u201d bdquo\u201e " +
  "dagger\u2020 Dagger\u2021 bull\u2022 hellip\u2026 permil\u2030 prime\u2032 Prime\u2033 " +
  "lsaquo\u2039 rsaquo\u203a euro\u20ac trade\u2122 larr\u2190 uarr\u2191 rarr\u2192 " +
  "darr\u2193 harr\u2194 lArr\u21d0 uArr\u21d1 rArr\u21d2 dArr\u21d3 hArr\u21d4 forall\u2200 " +
  "part\u2202 exist\u2203 empty\u2205 nabla\u2207 isin\u2208 notin\u2209 ni\u220b prod\u220f " +
  "sum\u2211 minus\u2212 lowast\u2217 radic\u221a prop\u221d infin\u221e ang\u2220 and\u2227 " +
  "or\u2228 cap\u2229 cup\u222a int\u222b there4\u2234 sim\u223c cong\u2245 asymp\u2248 " +
  "ne\u2260 equiv\u2261 le\u2264 ge\u2265 sub\u2282 sup\u2283 nsub\u2284 sube\u2286 " +
  "supe\u2287 oplus\u2295 otimes\u2297 perp\u22a5 sdot\u22c5 lceil\u2308 rceil\u2309 " +
  "lfloor\u230a rfloor\u230b loz\u25ca spades\u2660 clubs\u2663 hearts\u2665 diams\u2666 " +
  "check\u2713 cross\u2717";

const NAMES = new Map(LATIN.split(" ").map((name, at) => [name, String.fromCharCode(160 + at)]));
for (const [, name, char] of OTHERS.matchAll(/([A-Za-z]+4?)([^ ])/g)) NAMES.set(name, char);

const FORM = "&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));";
const ENTITY = new RegExp(FORM, "y");
const ESCAPED = new RegExp("\\\\([!-/:-@[-`{-~])|" + FORM, "g");

/** The entity at a place of `text`: [its length, what it stands for], or null. */
export function entity(text, at) {
  ENTITY.lastIndex = at;
  const found = ENTITY.exec(text);
  if (!found) return null;
  const char = named(found[1], found[2], found[3]);
  return char === undefined ? null : [found[0].length, char];
}

/** `text` with its backslash escapes and entities resolved. */
export function plain(text) {
  return text.replace(ESCAPED, (all, escaped, hex, dec, name) =>
    escaped ?? named(hex, dec, name) ?? all);
}

function named(hex, dec, name) {
  if (name) return NAMES.get(name);
  const code = hex ? parseInt(hex, 16) : parseInt(dec, 10);
  const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return String.fromCodePoint(valid ? code : 0xfffd);
}
