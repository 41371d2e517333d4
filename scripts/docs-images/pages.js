import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { escapeHtml, highlight, renderMarkdown } from './markdown.js';

const require = createRequire(import.meta.url);
const FRAME_CSS = readFileSync(join(import.meta.dirname, 'frame.css'), 'utf8');

export const THEMES = ['light', 'dark'];

/** The pictures by name: from the text that is shown, and the theme, to a page. */
export const PAGES = {
  // The first comment is enough to see what they look like.
  review: (source, theme) =>
    page(reviewHtml({ ...source, comments: source.comments.slice(0, 1) }), theme),
  'second-review': (source, theme) => page(reviewHtml(source), theme),
  fix: (source, theme) => page(fixHtml(source), theme),
  summary: (source, theme) => page(summaryHtml(source), theme),
  memory: (source, theme) => page(fileHtml('reviewer.md', 'axe-memory', source), theme),
  terminal: (source, theme) => page(terminalHtml(source), theme),
};

/**
 * Times and the like are placeholders in the sources, since they differ from run to run; these
 * stand in for them.
 */
const TIMES = ['2026-03-04T09:41:07Z', '2026-03-04T10:05:52Z', '2026-03-05T08:12:30Z'];
const SAMPLES = [
  ['<seconds>', '6.2 s'],
  ['<n>', '8'],
  ['<sha>', '92f41df'],
  ['<id>', '01k6z3v8q5m2w9x4c7b1n0d6ha'],
];

function page(content, theme) {
  const css = readFileSync(
    require.resolve(`github-markdown-css/github-markdown-${theme}.css`),
    'utf8',
  );
  return `<!doctype html><meta charset="utf-8"><style>${css}\n${FRAME_CSS}</style>
<body class="${theme}"><main id="picture">${content}</main></body>`;
}

function textOf(lines) {
  let index = 0;
  const dated = lines.join('\n').replaceAll('<time>', () => TIMES[index++ % TIMES.length]);
  return SAMPLES.reduce(
    (text, [placeholder, sample]) => text.replaceAll(placeholder, sample),
    dated,
  );
}

const AVATAR = `<svg class="avatar" viewBox="0 0 40 40"><rect width="40" height="40" rx="20" fill="#2f6feb"/>
<circle cx="14" cy="13" r="4" fill="none" stroke="#fff" stroke-width="2.4"/><path d="M14 17v6a5 5 0 0 0 5 5h3" fill="none"
stroke="#fff" stroke-width="2.4"/><circle cx="26" cy="28" r="4" fill="none" stroke="#fff" stroke-width="2.4"/></svg>`;

const BOT = '<b>github-actions</b> <span class="label">bot</span>';

/**
 * A review as the conversation of a pull request shows it: its text, then each comment below the
 * lines it is about.
 */
function reviewHtml({ body, comments, diff }) {
  const threads = comments.map((comment) => threadHtml(comment, diff)).join('');
  return `<div class="timeline"><div class="event">${AVATAR}<p class="head"><span class="eye"></span>${BOT} reviewed
<span class="quiet">2 minutes ago</span></p></div>
<div class="column"><div class="box"><div class="box-head">${BOT} left a comment</div>
<div class="markdown-body box-body">${renderMarkdown(textOf(body), { isComment: true })}</div></div>
${threads}</div></div>`;
}

/** A request for a fix, the commit and the answer, as the conversation shows them. */
function fixHtml({ asked, commit: [headline, body], answer }) {
  const comment = (
    who,
    text,
  ) => `<div class="column"><div class="box"><div class="box-head">${who} commented
<span class="quiet">2 minutes ago</span></div>
<div class="markdown-body box-body">${renderMarkdown(text, { isComment: true })}</div></div></div>`;
  return `<div class="timeline stack">${comment('<b>Codertocat</b>', asked)}
<div class="event commit">${AVATAR}<p class="head"><b>${escapeHtml(headline)}</b><br><span class="quiet">${escapeHtml(body)}</span></p>
<span class="label verified">Verified</span> <code>${textOf(['<sha>'])}</code></div>
${comment(BOT, textOf(answer))}</div>`;
}

function threadHtml({ path, line, body }, diff) {
  const text = textOf(body).replaceAll(/```suggestion\n([\s\S]*?)```\n/g, (_, code) =>
    suggestionHtml(code, diff, line),
  );
  return `<div class="box thread"><div class="box-head file">${path}</div>
<table class="diff">${diffRows(diff, line)}</table>
<div class="comment">${AVATAR}<div class="comment-column"><p class="head">${BOT} <span class="quiet">2 minutes ago</span></p>
<div class="markdown-body">${renderMarkdown(text, { isComment: true })}</div></div></div>
<div class="reply"><span class="field">Reply...</span></div>
<div class="resolve"><span class="button">Resolve conversation</span></div></div>`;
}

function suggestionHtml(code, diff, line) {
  const old = numbered(diff).find(({ right }) => right === line)?.text ?? '';
  const rows = [
    row('-', line, '', old),
    ...code
      .trimEnd()
      .split('\n')
      .map((text) => row('+', '', line, text)),
  ];
  return `<div class="suggestion"><div class="suggestion-head">Suggested change</div><table class="diff">${rows.join(
    '',
  )}</table><div class="suggestion-foot"><span class="button">Commit suggestion</span></div></div>\n`;
}

/** The commented line with up to three lines above it, as GitHub shows them. */
function diffRows(diff, line) {
  const all = numbered(diff);
  const end = all.findIndex(({ right }) => right === line);
  return all
    .slice(Math.max(0, end - 3), end + 1)
    .map(({ sign, left, right, text }) => row(sign, left, right, text))
    .join('');
}

function row(sign, left, right, text) {
  const kind = { '+': 'added', '-': 'removed' }[sign] ?? '';
  return `<tr class="${kind}"><td class="number">${left}</td><td class="number">${right}</td><td class="code">${sign}${highlight(
    text,
  )}</td></tr>`;
}

/** The lines of a diff with one hunk, with their numbers on both sides. */
function numbered(diff) {
  const start = diff.findIndex((line) => line.startsWith('@@'));
  let [left, right] = /-(\d+)(?:,\d+)? \+(\d+)/.exec(diff[start]).slice(1).map(Number);
  return diff.slice(start + 1).map((line) => {
    const sign = line[0] ?? ' ';
    const numbers = { left: sign === '+' ? '' : left++, right: sign === '-' ? '' : right++ };
    return { sign, ...numbers, text: line.slice(1) };
  });
}

function summaryHtml(lines) {
  return `<div class="box"><div class="box-head"><b>review</b> summary</div>
<div class="markdown-body box-body">${renderMarkdown(textOf(lines))}</div></div>`;
}

/** As its *Code* shows a file: the rendered one joins the lines of an entry. */
function fileHtml(name, branch, lines) {
  const text = textOf(lines).trimEnd().split('\n');
  const rows = text.map((line, index) => {
    const otherKind = line.startsWith('<!--') ? 'quiet' : '';
    const kind = line.startsWith('## ') ? 'heading' : otherKind;
    return `<tr><td class="number">${index + 1}</td><td class="text ${kind}">${escapeHtml(line)}</td></tr>`;
  });
  return `<p class="path"><span class="button branch">${branch}</span> <span class="link">Hello-World</span> / <b>${name}</b></p>
<div class="box"><div class="box-head"><span class="tabs"><span>Preview</span><b>Code</b><span>Blame</span></span>
<span class="quiet">${text.length} lines · ${Buffer.byteLength(textOf(lines))} Bytes</span></div>
<table class="diff file-text">${rows.join('')}</table></div>`;
}

function terminalHtml({ command, screen }) {
  const lines = escapeHtml(textOf(screen)).replaceAll(/^✔/gm, '<span class="done">✔</span>');
  return `<div class="terminal"><div class="terminal-head"><i></i><i></i><i></i></div>
<pre><b class="prompt">$</b> ${escapeHtml(command)}
${lines}
<b class="prompt">$</b> <span class="cursor"> </span></pre></div>`;
}
