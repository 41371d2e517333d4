import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Markdown as GitHub shows it; in comments, unlike in files, every line break counts. */
export function renderMarkdown(markdown, { isComment = false } = {}) {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  }).replaceAll(
    /(<code class="language-diff">)([\s\S]*?)(<\/code>)/g,
    (_, open, code, close) => open + diff(code) + close,
  );
  return isComment
    ? html.replaceAll(/<p>[\s\S]*?<\/p>/g, (text) => text.replaceAll('\n', '<br>\n'))
    : html;
}

function diff(code) {
  return code
    .replaceAll(/^\+.*$/gm, '<span class="line-added">$&</span>')
    .replaceAll(/^-.*$/gm, '<span class="line-removed">$&</span>');
}

export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
