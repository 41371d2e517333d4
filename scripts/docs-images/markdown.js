import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const KEYWORDS = /^(?:async|await|console|const|export|function|if|import|new|return)$/;

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

/** Lines of code in colours: enough for the few lines that the pictures show. */
export function highlight(line) {
  return line.replaceAll(
    /('[^']*')|(\/\/.*)|([A-Za-z_$][\w$]*)(?=(\()?)|[<>&]/g,
    (text, ...groups) => {
      const [string, comment, word, call] = groups;
      if (string !== undefined) return span('string', string);
      if (comment !== undefined) return span('comment', comment);
      if (word === undefined) return escapeHtml(text);
      if (KEYWORDS.test(word)) return span('keyword', word);
      return call === undefined ? word : span('call', word);
    },
  );
}

export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function span(kind, text) {
  return `<span class="code-${kind}">${escapeHtml(text)}</span>`;
}
