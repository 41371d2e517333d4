import type { ReviewRemark } from '../../github/reading/review-remarks.js';
import { MAX_RULE_CHARACTERS, MAX_RULES, RULES_HEADING } from '../../prompt/gc-prompts.js';
import { UNSEEN } from './analysis.js';

/** The comments of the last five weeks, so that a monthly run misses none. */
export const REMARKS_DAYS = 35;

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
    const message = `a rule was left out: ${problem ?? `more than ${MAX_RULES} are proposed`}`;
    if (problem === undefined && !isOver) rules.push(rule);
    else problems.push(message);
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
  const isWindows = rulesFile.includes('\n') && !/(?<!\r)\n/.test(rulesFile);
  if (isWindows) return addRules(rulesFile.replaceAll('\r', ''), rules).replaceAll('\n', '\r\n');
  return addRules(rulesFile, rules);
}

function addRules(rulesFile: string, rules: readonly string[]): string {
  const lines = rulesFile.trimEnd().split('\n');
  const start = lines.findIndex((line) => line.trim() === RULES_HEADING);
  const added = rules.join('\n');
  if (start < 0)
    return `${[rulesFile.trimEnd(), RULES_HEADING, added].filter(Boolean).join('\n\n')}\n`;

  const length = lines.slice(start + 1).findIndex((line) => /^#{1,2} /.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  const section = lines.slice(start, end).join('\n').trimEnd();
  const separator = section === RULES_HEADING ? '\n\n' : '\n';
  const rest = lines.slice(end).join('\n');
  const before = lines.slice(0, start).map((line) => `${line}\n`);
  return `${before.join('')}${section}${separator}${added}\n${rest === '' ? '' : `\n${rest}\n`}`;
}
