import { stripInvisible } from './invisible.js';
import { disarmUrl, isReferenceUrl } from './link.js';
import { CLOSING_WORD } from './words.js';

/**
 * The title of an issue or pull request: GitHub shows it as it was typed, so it gets no markup. Mentions and references
 * do nothing there, but a merge can make the title the message of a commit, where a closing keyword works.
 */
export function cleanTitle(text: string): string {
  const line = stripInvisible(text).replace(/\s+/g, ' ').trim();
  return line.replace(
    CLOSING_REFERENCE,
    (_, keyword: string, reference: string) => keyword + plainReference(reference),
  );
}

const CLOSING_REFERENCE = new RegExp(
  String.raw`(?<![A-Za-z0-9])(${CLOSING_WORD}[^A-Za-z0-9.;!?]{1,40})(https?:\/\/\S+|(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d+|GH-\d+)`,
  'gi',
);

function plainReference(reference: string): string {
  if (isReferenceUrl(reference)) return disarmUrl(reference).text;
  return reference.startsWith('http') ? reference : reference.replace(/^#/, '').replace(/[#-](?=\d+$)/, ' ');
}
