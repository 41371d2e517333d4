/**
 * A refusal that says "too long" names the input, a measure of its length, and an excess, on every
 * server that we know. A refusal of something else that has a limit names that too. Add a new
 * wording to the list of the test first, and change a pattern only if a family of words lacks it.
 */
const INPUT =
  /\b(?:prompts?|inputs?|contexts?|conversation|messages|request|sequence|n_ctx)\b|\bmodel(?:'s)?(?: maximum)? (?:token limit|length)|\btokens? limit/i;

const MEASURE =
  /\btokens?\b|\blength\b|\blong(?:er)?\b|\bwindow\b|\b(?:context|maximum|max) size\b|\bcontext limit\b|\btoo large\b/i;

const EXCESS =
  /\bexceed|\boverflow|\btoo (?:long|large|many)\b|\b(?:longer|greater|larger|more) than\b|\bmax(?:imum)?\b|\bmust (?:be <=|have less than)|\bshould be \[|\bup to\b|\bnot enough\b|\breduce the length\b|\bconfigured context\b/i;

const ANOTHER_LIMIT = new RegExp(
  [
    // Requests and tokens in a time, and money.
    String.raw`\bper[ -](?:min|minute|day|hour|second)\b|\b[rt]p[md]\b|\brate.?limit|\bquota\b|\bdeadline\b|\bcredits?\b|\bwait\b`,
    // Attachments and headers.
    String.raw`\bimages?\b|\bpixels?\b|\baudio\b|\bseconds\b|\bpages?\b|\bpdf\b|\bdocuments?\b|\bfiles?\b|\bheaders?\b|\bbytes\b`,
    // Tools and their schemas.
    String.raw`\btools?\b(?! input)|\bfunctions?\b|\bschema|\bstring\b|\barray\b|\bcharacters\b|\bproperties\b|\bitems\b|\bcolumn\b`,
    // Names, plans and settings.
    String.raw`\bname\b|\bids?\b|\bprompt_\w+|\bcache|\bplan\b|\bsubscription\b|\bbatch\b|\bsessions?\b|\bbudget|\bstop\b|\bpolicy\b`,
    String.raw`\bcontext_management\b|\bsupports at most\b|\boutput tokens for\b|\bconcurrent\b`,
  ].join('|'),
  'i',
);

/** The names of the limit of output tokens, in requests and in the words of servers. */
export const OUTPUT_LIMIT =
  /\bmax_(?:output_|completion_|new_)?tokens\b|\bmaxOutputTokens\b|\bmaximum tokens\b/i;

/** A limit of the output counts only if the input is counted in it. */
const COUNTED_INPUT = /\b(?:input|context|prompt)\w*\b.{0,60}(?:length|limit|window|size|tokens)/i;

/** The words of a refusal say that the request has more tokens than the model takes. */
export function saysTooLong(text: string): boolean {
  const isAboutLength = [INPUT, MEASURE, EXCESS].every((words) => words.test(text));
  if (!isAboutLength || ANOTHER_LIMIT.test(text)) return false;
  return !OUTPUT_LIMIT.test(text) || COUNTED_INPUT.test(text);
}
