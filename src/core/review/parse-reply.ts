/** What a reply says of the finding it answers, as far as its opening is one of a few set phrases. */
export type ParsedReply = 'withdraws' | 'agrees';

/** A reply that begins so withdraws the finding: it is wrong, or nothing will be done about it. */
const WITHDRAWING = [
  'not a bug',
  'not an issue',
  'not a problem',
  'false positive',
  'by design',
  'as designed',
  'works as intended',
  'working as intended',
  'intended',
  'intentional',
  'deliberate',
  'on purpose',
  "won't fix",
  'wont fix',
  'wontfix',
  'will not fix',
  'invalid',
  'not applicable',
  'not relevant',
  'i disagree',
  'disagree',
] as const;

/** A reply that begins so says that the finding is right. */
const AGREEING = [
  'fixed',
  'done',
  'addressed',
  'will fix',
  'good catch',
  'nice catch',
  'great catch',
  'good point',
  'agreed',
  'i agree',
  "you're right",
  'you are right',
] as const;

/** What may stand before a phrase and says nothing by itself. */
const FILLER =
  /^(?:@[\w-]+|no|nope|nah|hm+|well|sorry|thanks|thank you|but|i think|this is|that is|that's|it is|it's|(?:an?|the)(?= ))[\s,.:;!–—-]+/;

/** A phrase ends where its sentence or clause does, or a reason follows; `invalid tokens are refused` says nothing. */
const END = /^(?:$|[.,;:!)\n–—-]|\s+(?:here|because|since|as|so|in [0-9a-f]{7,40}\b)|\s+[–—-])/;

/** In `by design, but I will change it` nobody can tell without reading what holds. */
const TURN = /\b(?:but|however|though|although|except|unless)\b|\?/;

/**
 * Reads a reply without a model: only its first paragraph, and only by the phrases above. Whatever it says beyond them is
 * nobody's business here, so no reply can do more than these two words can. Undefined for all others.
 */
export function parseReply(body: string): ParsedReply | undefined {
  const text = openingOf(body);
  if (saysFirst(text, WITHDRAWING)) return 'withdraws';
  return saysFirst(text, AGREEING) ? 'agrees' : undefined;
}

const MAX_READ = 400;

/** The first paragraph without what was quoted, in lower case and without marks. */
function openingOf(body: string): string {
  const own = body
    .slice(0, MAX_READ * 10)
    .split(/\r?\n/)
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n')
    .trim();
  const [paragraph = ''] = own.split(/\n\s*\n/);
  let text = paragraph
    .slice(0, MAX_READ)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_`~"\u201C\u201D]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  while (FILLER.test(text)) text = text.replace(FILLER, '');
  return text;
}

function saysFirst(text: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => {
    if (!text.startsWith(phrase)) return false;
    const rest = text.slice(phrase.length);
    return END.test(rest) && !TURN.test(rest);
  });
}
