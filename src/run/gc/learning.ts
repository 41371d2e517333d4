import type { ReviewRemark } from '../../github/reading/review-remarks.js';
import { cutToBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { FENCE_NOTICE, fence } from '../../safety/fence.js';
import { UNSEEN } from './analysis.js';

/** The file of a project's own rules for reviews. */
export const RULES_FILE = 'REVIEW.md';
const HEADING = '## Learned from reviews';

/** The comments of the last five weeks, so that a monthly run misses none. */
export const REMARKS_DAYS = 35;

const MAX_RULES = 5;
/** Characters of a rule as people see it, without the addresses of its links. */
const MAX_RULE_CHARACTERS = 200;
const MAX_REMARK_BYTES = 1024;
const MAX_REMARKS_BYTES = 32 * 1024;

/** Added to the question about a proposal, if there are comments of maintainers. */
export const LEARNING_PROMPT = `You also receive comments that maintainers of this repository wrote on lines of pull requests, each with its link. "Acted on" means that the line was changed after the comment. Propose rules for \`${RULES_FILE}\`, which every review reads: what a reviewer should look for in later changes. A rule needs comments in two pull requests, or one comment that says itself that it is a rule. Most comments make no rule, and neither does a joke, or a remark that concerns only its own change.

Add the key "rules" to the JSON object: a list of at most ${MAX_RULES} texts, empty if there is none. Each is one line of at most ${MAX_RULE_CHARACTERS} characters that ends with the links of its comments in parentheses:

- Money is integer cents, never a float ([#42](https://…#discussion_r1), [#57](https://…#discussion_r9))

Leave out what \`${RULES_FILE}\` says already. Never put \`${RULES_FILE}\` into "edits": the rules are added to it.`;

/** The comments and the file of rules, as a part of the question; empty without comments. */
export function remarksMessage(remarks: readonly ReviewRemark[], rulesFile: string): string {
  if (remarks.length === 0) return '';
  const fences: string[] = [];
  let freeBytes = MAX_REMARKS_BYTES;
  for (const { pull, url, path, body, isActedOn } of remarks) {
    const label = isActedOn ? 'acted on' : 'not acted on';
    const { text } = cutToBytes(ownWords(body), MAX_REMARK_BYTES);
    if (text === '') continue;
    const content = `${url} on ${path} (${label}):\n${text}`;
    freeBytes -= utf8Bytes(content);
    if (freeBytes < 0) break;
    const source = `review comment on pull request #${pull}`;
    fences.push(fence(content, { source, markdown: true }));
  }
  const file = `--- ${RULES_FILE} ---\n${rulesFile}\n--- end of ${RULES_FILE} ---`;
  return ['Comments of maintainers:', FENCE_NOTICE, ...fences, file].join('\n\n');
}

/** A comment without quoted lines and suggested code, which others could have written. */
function ownWords(body: string): string {
  const withoutCode = body.replaceAll('\r\n', '\n').replace(SUGGESTION, '');
  const lines = withoutCode.split('\n').filter((line) => !/^\s*>/.test(line));
  return lines.join('\n').trim();
}

/** A block of suggested code; without an end it reaches to the end of the text. */
const SUGGESTION =
  /^[ \t]*(`{3,}|~{3,})[ \t]*suggestion[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm;

const LINK = String.raw`\[#(\d+)\]\((https?:\/\/[^\s()]+)\)`;
const RULE = new RegExp(String.raw`^- (\S.*?) \((${LINK}(?:, ${LINK})*)\)$`);

interface LearnedRules {
  readonly rules: readonly string[];
  /** Why proposed rules were left out, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Checks proposed rules: each names comments that were sent, says nothing that the file or a
 * declined proposal says, and hides nothing.
 */
export function checkRules(
  proposed: readonly string[],
  {
    remarks,
    rulesFile,
    declined,
  }: {
    readonly remarks: readonly ReviewRemark[];
    readonly rulesFile: string;
    /** Texts of proposals that people closed. */
    readonly declined: readonly string[];
  },
): LearnedRules {
  const rules: string[] = [];
  const problems: string[] = [];
  for (const text of proposed) {
    const rule = /^[-*+] /.test(text.trim())
      ? `- ${text.trim().slice(2).trim()}`
      : `- ${text.trim()}`;
    const problem = ruleProblem(rule, { remarks, known: [rulesFile, ...declined, ...rules] });
    const isOver = problem === undefined && rules.length >= MAX_RULES;
    if (problem === undefined && !isOver) rules.push(rule);
    else problems.push(`a rule was left out: ${problem ?? `more than ${MAX_RULES} are proposed`}`);
  }
  return { rules, problems };
}

function ruleProblem(
  rule: string,
  {
    remarks,
    known,
  }: { readonly remarks: readonly ReviewRemark[]; readonly known: readonly string[] },
): string | undefined {
  if (UNSEEN.test(rule)) return 'it has characters that readers cannot see';
  const [, text = '', links = ''] = RULE.exec(rule) ?? [];
  if (text === '') return 'it is not one line that ends with links to comments';
  if (/\]\(|<!--|https?:/.test(text)) return 'it has a link that is not to a comment';

  const cited = [...links.matchAll(new RegExp(LINK, 'g'))];
  const isSent = ([, number, url]: readonly string[]) =>
    remarks.some((remark) => remark.url === url && remark.pull === Number(number));
  if (!cited.every(isSent)) return 'it names a comment that was not sent';

  const shown = `- ${text} (${cited.map(([, number]) => `#${number}`).join(', ')})`;
  if ([...shown].length > MAX_RULE_CHARACTERS)
    return `it has more than ${MAX_RULE_CHARACTERS} characters`;
  const words = wordsOf(text);
  return known.some((earlier) => ` ${wordsOf(earlier)} `.includes(` ${words} `))
    ? 'the file or an earlier proposal says it already'
    : undefined;
}

function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

/** The file with these rules in their section, which is made if there is none. */
export function withRules(rulesFile: string, rules: readonly string[]): string {
  if (rules.length === 0) return rulesFile;
  const lines = rulesFile.trimEnd().split('\n');
  const start = lines.findIndex((line) => line.trim() === HEADING);
  const added = rules.join('\n');
  if (start < 0) return `${[rulesFile.trimEnd(), HEADING, added].filter(Boolean).join('\n\n')}\n`;

  const length = lines.slice(start + 1).findIndex((line) => /^#{1,2} /.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  const section = lines.slice(start, end).join('\n').trimEnd();
  const separator = section === HEADING ? '\n\n' : '\n';
  const rest = lines.slice(end).join('\n');
  const before = lines.slice(0, start).map((line) => `${line}\n`);
  return `${before.join('')}${section}${separator}${added}\n${rest === '' ? '' : `\n${rest}\n`}`;
}
