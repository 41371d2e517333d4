// Writes one HTML page with all that people see of a run: `npm run gallery [-- <file>]`. The texts
// are the files of __tests__/report/gallery/views/, which a test compares with what the code makes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { escapeHtml, renderMarkdown } from './docs-images/markdown.js';

const FOLDER = join(import.meta.dirname, '../__tests__/report/gallery/views');
const file = resolve(process.argv[2] ?? 'coverage/gallery.html');

const STYLE = `
  body { margin: 0 auto; max-width: 860px; padding: 24px; font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', sans-serif; color: #1f2328; }
  nav { columns: 2; } a { color: #0969da; text-decoration: none; }
  section.surface { border: 1px solid #d1d9e0; border-radius: 6px; margin: 16px 0; overflow: hidden; }
  section.surface > h3 { margin: 0; padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; font-size: 13px; }
  section.surface > div { padding: 4px 16px; overflow-x: auto; }
  pre { background: #f6f8fa; border-radius: 6px; padding: 12px; overflow-x: auto; }
  code { background: #818b981f; border-radius: 4px; font-size: 85%; padding: 0.2em 0.4em; } pre code { background: none; padding: 0; }
  table { border-collapse: collapse; } th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left; }
  .line-added { background: #dafbe1; } .line-removed { background: #ffebe9; }
`;

const views = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => ({
    id: name.slice(0, -'.md'.length),
    text: readFileSync(join(FOLDER, name), 'utf8'),
  }));

/** A surface begins with a heading of the first level; no text of ours has one. */
function surfaces(text) {
  return text
    .split(/^# /m)
    .slice(1)
    .map((surface) => {
      const [title = '', ...lines] = surface.split('\n');
      const isComment = /^(?:Review|Comment|Reply|Issue)/.test(title);
      const html = renderMarkdown(lines.join('\n'), { isComment });
      return `<section class="surface"><h3>${escapeHtml(title)}</h3><div>${html}</div></section>`;
    })
    .join('\n');
}

const titleOf = (id) => escapeHtml(id.replaceAll('-', ' '));
const links = views.map(({ id }) => `<li><a href="#${id}">${titleOf(id)}</a></li>`).join('\n');
const sections = views.map(
  ({ id, text }) => `<h2 id="${id}">${titleOf(id)}</h2>\n${surfaces(text)}`,
);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(
  file,
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><style>${STYLE}</style>
<body><h1>What people see of a run</h1><nav><ul>${links}</ul></nav>\n${sections.join('\n')}</body></html>\n`,
);
process.stdout.write(`${file}: ${views.length} situations\n`);
