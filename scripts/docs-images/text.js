// Text in pictures without a browser: words have the widths of a common sans-serif font and are
// stretched to them, so a picture has the same lines in every font.

/** Widths of characters of Helvetica, in thousandths of the font's size. Any other ASCII one has 556. */
const WIDTHS = new Map(
  Object.entries({
    222: 'ijl',
    278: " !,./:;I[\\]ft·'",
    333: '()-`r"*',
    500: 'Jcksvxyz{}|',
    584: '+<=>~^',
    611: 'FTZ',
    667: 'ABEKPSVXY&',
    722: 'CDHNRUw',
    778: 'GOQ',
    833: 'Mm',
    944: 'W%@',
  }).flatMap(([width, characters]) => [...characters].map((each) => [each, Number(width)])),
);
const PLAIN_WIDTH = 556;
const WIDE = 1000;

/** A fixed-width font's share of its size. */
const MONO = 0.602;
const CODE_SIZE = 0.92;
const LINE_HEIGHT = 1.5;

export function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Inline markdown as pieces with a style: bold, code, link or plain. */
function piecesOf(markdown) {
  const marks =
    /\*\*(.+?)\*\*|`([^`]+)`|\[((?:[^\]`]|`[^`]*`)+)\]\([^)]*\)|(?:[^*`[]|\*(?!\*)|\[(?![^\]]*\]\())+/g;
  return [...markdown.matchAll(marks)].map(([plain, bold, code, link]) => {
    if (bold !== undefined) return { text: bold, style: 'bold' };
    if (code !== undefined) return { text: code, style: 'code' };
    if (link !== undefined) return { text: link.replaceAll('`', ''), style: 'link' };
    return { text: plain, style: 'plain' };
  });
}

function widthOf(text, style, size) {
  if (style === 'code') return [...text].length * size * CODE_SIZE * MONO;
  const units = [...text].reduce((sum, each) => {
    const isAscii = (each.codePointAt(0) ?? 0) < 128;
    return sum + (WIDTHS.get(each) ?? (isAscii ? PLAIN_WIDTH : WIDE));
  }, 0);
  return (units / 1000) * size * (style === 'bold' ? 1.06 : 1);
}

/**
 * Inline markdown from a point on, broken at words within a width. Returns the drawing, and the
 * base line of its last line.
 */
export function drawText(markdown, { x, y, width, size, ink, colours }) {
  const words = piecesOf(markdown).flatMap(({ text, style }) =>
    (style === 'code' ? [text] : text.split(/(?<= )/)).map((word) => ({ word, style })),
  );
  const parts = [];
  let at = x;
  let line = y;
  for (const { word, style } of words) {
    const shown = style === 'code' ? word : word.trimEnd();
    const padding = style === 'code' ? size * 0.36 : 0;
    const own = widthOf(shown, style, size);
    if (at > x && at + own + 2 * padding > x + width) {
      at = x;
      line += size * LINE_HEIGHT;
    }
    if (style === 'code')
      parts.push(codeBox({ x: at, y: line, width: own + 2 * padding, size, colours }));
    if (shown.trim() !== '')
      parts.push(
        drawWord(shown, style, { x: at + padding, y: line, width: own, size, ink, colours }),
      );
    at += own + 2 * padding + widthOf(word.slice(shown.length), style, size);
  }
  return { svg: parts.join(''), y: line };
}

function drawWord(word, style, { x, y, width, size, ink, colours }) {
  const own = style === 'code' ? size * CODE_SIZE : size;
  const fill = style === 'link' ? colours.link : ink;
  const looks = { code: ' class="m"', bold: ' font-weight="600"' }[style] ?? '';
  return `<text${looks} x="${round(x)}" y="${round(y)}" font-size="${round(own)}" fill="${fill}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escapeXml(word)}</text>`;
}

function codeBox({ x, y, width, size, colours }) {
  return `<rect x="${round(x)}" y="${round(y - size * 0.95)}" width="${round(width)}" height="${round(size * 1.3)}" rx="4" fill="${colours.code}"/>`;
}

/** A line of code as it is, without a background. */
export function drawCode(text, { x, y, size, ink }) {
  const width = widthOf(text, 'code', size);
  return `<text class="m" x="${round(x)}" y="${round(y)}" font-size="${round(size * CODE_SIZE)}" fill="${ink}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}

export function round(number) {
  return Number(number.toFixed(1));
}
