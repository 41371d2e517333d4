// The blocks of markdown that runs post, as parts of an SVG: paragraphs, list items, code, notes.
import { drawCode, drawText, round } from './text.js';

export const THEMES = {
  light: {
    ink: '#1f2328',
    quiet: '#59636e',
    line: '#d1d9e0',
    page: '#ffffff',
    head: '#f6f8fa',
    link: '#0969da',
    code: '#eff1f3',
    added: '#dafbe1',
    removed: '#ffebe9',
    done: '#1a7f37',
    off: '#818b98',
  },
  dark: {
    ink: '#f0f6fc',
    quiet: '#9198a1',
    line: '#3d444d',
    page: '#0d1117',
    head: '#151b23',
    link: '#4493f8',
    code: '#262c36',
    added: '#12261e',
    removed: '#25171c',
    done: '#3fb950',
    off: '#9198a1',
  },
};

const SIZE = 16;
const SMALL = 15.2;
const GAP = 30;
const INDENT = 27;

const SEVERITIES = { '🔴': '#d1242f', '🟠': '#e16f24', '🟡': '#d4a72c', '⚪': '#818b98' };
/** With or without the sign that asks for a picture instead of a letter. */
const SIGN = /^(🔴|🟠|🟡|⚪|✅|✖|🗑|↩)\uFE0F?\s+/u;

/** Markdown below a base line. Returns the drawing, and the base line for what comes next. */
export function drawBlocks(markdown, { x, y, width, colours }) {
  let at = y;
  const parts = blocksOf(markdown).map((block) => {
    const { svg, next } = drawBlock(block, { x, y: at, width, colours });
    at = next;
    return svg;
  });
  return { svg: parts.join('\n'), y: at };
}

function drawBlock({ kind, text, lines }, { x, y, width, colours }) {
  if (kind === 'code') return drawLines(lines, { x, y, width, colours });

  const isNote = kind === 'note';
  const size = isNote ? SMALL : SIZE;
  const [mark, sign] = SIGN.exec(text) ?? [];
  const left = mark === undefined ? x : x + INDENT;
  const ink = isNote ? colours.quiet : colours.ink;
  const rest = text.slice(mark?.length ?? 0);
  const place = { x: left, y, width: width - (left - x), size, ink, colours };
  const drawn = drawText(kind === 'heading' ? `**${rest}**` : rest, place);
  const svg = `${sign === undefined ? '' : drawSign(sign, x + 9, y - 5.5, colours)}${drawn.svg}`;
  return { svg, next: drawn.y + GAP };
}

function drawLines(lines, { x, y, width, colours }) {
  const height = SIZE * 1.5;
  const parts = lines.map((line, index) => {
    const top = y - SIZE + index * height;
    const fill = { '+': colours.added, '-': colours.removed }[line[0]] ?? colours.head;
    return `<rect x="${round(x)}" y="${round(top)}" width="${round(width)}" height="${height}" fill="${fill}"/>${drawCode(
      line,
      { x: x + 8, y: top + SIZE, size: SIZE, ink: colours.ink },
    )}`;
  });
  return { svg: parts.join(''), next: y + (lines.length - 1) * height + GAP + 4 };
}

function drawSign(sign, x, y, colours) {
  if (sign in SEVERITIES)
    return `<circle cx="${x}" cy="${round(y)}" r="6.5" fill="${SEVERITIES[sign]}"/>`;
  if (sign === '✅')
    return `<circle cx="${x}" cy="${round(y)}" r="8" fill="${colours.done}"/><path d="M${round(x - 3.6)} ${round(y + 0.2)}l2.6 2.7 4.8-5.4" fill="none" stroke="#fff" stroke-width="1.9"/>`;
  return `<circle cx="${x}" cy="${round(y)}" r="7.4" fill="none" stroke="${colours.off}" stroke-width="1.7"/><path d="M${x - 5} ${round(y + 5)}l10-10" stroke="${colours.off}" stroke-width="1.7"/>`;
}

/** What GitHub shows of a text: no hidden comments, and only the first line of what is folded. */
function blocksOf(markdown) {
  const shown = markdown
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/<details>\s*<summary>(.*?)<\/summary>[\s\S]*?<\/details>/g, '▸ $1');
  const blocks = [];
  let fence;
  for (const raw of shown.split('\n')) {
    const line = fence === undefined ? raw.trim() : raw;
    if (fence !== undefined) {
      if (line.startsWith('```')) fence = undefined;
      else fence.lines.push(line);
    } else if (line.startsWith('```')) {
      fence = { kind: 'code', text: '', lines: [] };
      blocks.push(fence);
    } else if (line !== '') blocks.push(blockOf(line));
  }
  return blocks;
}

function blockOf(line) {
  const [, note] = /^<sub>(.*)<\/sub>$/.exec(line) ?? [];
  if (note !== undefined) return { kind: 'note', text: note };
  const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
  if (heading !== undefined) return { kind: 'heading', text: heading };
  if (line.startsWith('- ')) {
    const item = line.slice(2);
    return { kind: 'item', text: SIGN.test(item) ? item : `• ${item}` };
  }
  return { kind: 'paragraph', text: line };
}
