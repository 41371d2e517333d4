// The pictures of the docs as SVG, from the real output in docs/images/sources.json: no browser and
// no font files, so the same sources give the same bytes on every machine.
import { drawBlocks, THEMES } from './blocks.js';
import { recording } from './recording.js';
import { drawText, round } from './text.js';

/** At 400 px, where a phone shows a picture, the smallest text is still 11 px high. */
const WIDTH = 508;
const LEFT = 22;
const TITLE = 15.2;

/** Placeholders of the sources, which differ from run to run, and what a picture has for them. */
const TIMES = ['2026-03-04T09:41:07Z', '2026-03-05T08:12:30Z'];
const SAMPLES = [
  ['<seconds>', '6.2 s'],
  ['<sha>', '92f41df'],
  ['<id>', '01m8k2'],
];

/** The files of a set of sources by name. */
export function picturesOf(sources) {
  const { command, screen } = sources.terminal;
  return {
    'demo.svg': recording('npm run demo', sources.demo),
    'terminal.svg': recording(command, screen.map(textOf)),
    ...inThemes('second-review', (colours) => secondReview(sources['second-review'], colours)),
    ...inThemes('comment', (colours) => conversation(sources.conversation, colours)),
    ...inThemes('memory', (colours) => memory(sources.memory, colours)),
  };
}

function inThemes(name, draw) {
  return Object.fromEntries(
    Object.entries(THEMES).map(([theme, colours]) => [`${name}-${theme}.svg`, draw(colours)]),
  );
}

function secondReview(body, colours) {
  const text = drawBlocks(textOf(body.join('\n')), { ...COLUMN, y: 82, colours });
  const title = boxTitle('**github-actions** reviewed after your push', colours);
  return frame(`${title}${text.svg}`, text.y, colours);
}

/** A finding on its line, a person's reply, and the answer to that. */
function conversation({ path, line, code, finding, reply, answer }, colours) {
  const place = fileTitle(`\`${path}\` line ${line}`, colours);
  let y = 78;
  const parts = [place];
  const shownCode = drawBlocks(`\`\`\`\n+ ${code.trim()}\n\`\`\``, { ...COLUMN, y, colours });
  y = shownCode.y + 10;
  parts.push(shownCode.svg);
  for (const [author, lines] of [
    ['github-actions', finding],
    ['octocat', reply],
    ['github-actions', answer],
  ]) {
    parts.push(avatar(LEFT + 11, y - 5, author, colours));
    parts.push(authorName(author, y, colours));
    const text = drawBlocks(textOf(lines.join('\n')), { ...COLUMN, y: y + 28, colours });
    parts.push(text.svg);
    y = text.y + 10;
  }
  return frame(parts.join('\n'), y - 12, colours);
}

/** The *Preview* of the file on its branch. */
function memory(lines, colours) {
  // A file joins the lines of a paragraph, which a comment does not.
  const joined = textOf(lines.join('\n')).replaceAll(/(?<=\S)\n(?=[^\s<#-])/g, ' ');
  const text = drawBlocks(joined, { ...COLUMN, y: 82, colours });
  const title = fileTitle('**Preview**   Code   Blame   `reviewer.md` on `axe-memory`', colours);
  return frame(`${title}${text.svg}`, text.y, colours);
}

const COLUMN = { x: LEFT, width: WIDTH - 2 * LEFT };

function frame(content, below, colours) {
  const height = Math.round(below - 6);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">
<style>text{font-family:-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;white-space:pre}.m{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}</style>
<rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="${colours.page}" stroke="${colours.line}"/>
${content}
</svg>
`;
}

function bar(colours) {
  return `<path d="M.5 52V8.5a8 8 0 0 1 8-8h${WIDTH - 17}a8 8 0 0 1 8 8V52z" fill="${colours.head}" stroke="${colours.line}"/>`;
}

function boxTitle(text, colours) {
  const place = { x: LEFT + 36, y: 32, width: WIDTH, size: TITLE, ink: colours.ink, colours };
  return `${bar(colours)}${avatar(LEFT + 12, 27, 'github-actions', colours)}${drawText(text, place).svg}`;
}

function fileTitle(text, colours) {
  const place = { x: LEFT, y: 32, width: WIDTH, size: TITLE, ink: colours.quiet, colours };
  return `${bar(colours)}${drawText(text, place).svg}`;
}

function authorName(author, y, colours) {
  const place = { x: LEFT + 30, y, width: WIDTH, size: TITLE, ink: colours.ink, colours };
  return drawText(`**${author}**`, place).svg;
}

function avatar(x, y, author, colours) {
  if (author === 'octocat')
    return `<circle cx="${x}" cy="${round(y)}" r="11" fill="${colours.off}"/><circle cx="${x}" cy="${round(y - 3)}" r="4" fill="${colours.page}"/><path d="M${x - 7} ${round(y + 8)}a7 7 0 0 1 14 0z" fill="${colours.page}"/>`;
  return `<circle cx="${x}" cy="${round(y)}" r="11" fill="#316dca"/><path d="M${x - 4} ${round(y - 5)}v10M${x + 4} ${round(y - 2)}v2a4 4 0 0 1-4 4h-3" stroke="#fff" stroke-width="1.6" fill="none"/><circle cx="${x - 4}" cy="${round(y - 5)}" r="1.8" fill="#fff"/><circle cx="${x - 4}" cy="${round(y + 5)}" r="1.8" fill="#fff"/><circle cx="${x + 4}" cy="${round(y - 3)}" r="1.8" fill="#fff"/>`;
}

function textOf(text) {
  let index = 0;
  const dated = text.replaceAll('<time>', () => TIMES[index++ % TIMES.length]);
  return SAMPLES.reduce(
    (rest, [placeholder, sample]) => rest.replaceAll(placeholder, sample),
    dated,
  );
}
