/** Latin letters in lower case, whatever script or width they are written in; everything else goes. */
export function foldLetters(text: string): string {
  return Array.from(text.normalize('NFKD').toLowerCase(), (letter) => LOOKALIKES.get(letter) ?? letter)
    .join('')
    .replace(/[^a-z]/g, '');
}

/** Cyrillic, Greek and other letters that draw what a guarded name needs. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аα',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еєε',
    h: 'һհ',
    i: 'іıι',
    l: 'ӏ',
    m: 'м',
    n: 'ոη',
    o: 'оοо',
    p: 'рρ',
    r: 'гᴦ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    x: 'хχ×',
    y: 'уүγ',
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);
