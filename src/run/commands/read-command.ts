import { nearest } from '../../agent/suggest.js';
import { COMMENT_COMMANDS } from '../../event/comment-commands.js';
import { findMention } from '../../event/mention.js';
import type { CommentTrigger, Trigger } from '../../event/trigger.js';
import { readHandle } from '../../review/finding.js';
import { isDismissal } from '../../review/seen.js';
import { isOwnText } from '../../safety/mark.js';

/** A command about findings. */
interface OnFinding {
  /** The name of the finding, `FQ7K2`; undefined: what the conversation holds in which the comment is. */
  readonly handle: string | undefined;
  readonly trigger: CommentTrigger;
  /** It was said in the conversation of a finding, in a set phrase; elsewhere that is no command. */
  readonly isReply?: true;
}

export interface FindingCommand extends OnFinding {
  readonly verb: 'dismiss' | 'done' | 'reopen';
}

/** Its answer is a run. */
export interface FixCommand extends OnFinding {
  readonly verb: 'fix';
  /** All that are open are meant. */
  readonly isAll: boolean;
}

export interface CommentMemoryCommand {
  readonly verb: 'remember' | 'forget' | 'promote' | 'show' | 'search';
  /** What follows the verb: of `remember` one text, line breaks included, of the others the words of the first line. */
  readonly words: readonly string[];
}

export type ReadCommand =
  | { readonly verb: 'help' }
  | { readonly verb: 'pause' | 'resume' }
  | CommentMemoryCommand
  | FindingCommand
  | FixCommand
  /** `said` is not a command; `meant` is the one that it most likely stands for, as it is written. */
  | { readonly verb: 'mistyped'; readonly said: string; readonly meant: string };

/**
 * The command that a comment begins with, `/axe help`, or that follows the `trigger-phrase` where the comment says
 * nothing else, `@axe help`; or a reply that dismisses a finding in a set phrase. Undefined for what an agent is to answer: a
 * question, and `/axe review`.
 */
export function readCommand(trigger: Trigger, triggerPhrase: string): ReadCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const slash = SLASH.exec(trigger.body.replaceAll(/\r\n?/g, '\n'));
  if (slash !== null) {
    const [, line = '', below = ''] = slash;
    if (line.trim() !== '') return readLine(line.trim(), below, trigger);
    // A question may follow on the next lines.
    return below.trim() === '' ? { verb: 'help' } : undefined;
  }
  const task = triggerPhrase === '' ? undefined : findMention(trigger.body, triggerPhrase);
  return task === undefined ? replyCommand(trigger) : readTask(task.trim(), trigger);
}

/** `/axe` on the first line that says something; four spaces before it would make it code. */
const SLASH = /^(?:[ \t]*\n)* {0,3}\/axe(?:[ \t]+(.*))?(?:\n([\s\S]*))?$/i;

/** "Not a bug" in a conversation on a line dismisses what began it, as the next run would understand it. */
function replyCommand(trigger: CommentTrigger): FindingCommand | undefined {
  const isReply = trigger.on === 'pull_request' && trigger.inReplyTo !== undefined;
  if (!isReply || isOwnText(trigger.body) || !isDismissal(trigger.body)) return undefined;
  return { verb: 'dismiss', handle: undefined, trigger, isReply: true };
}

/** After the phrase a command is all that the comment says: `@axe help`, and not `@axe help me with the cache`. */
function readTask(task: string, trigger: CommentTrigger): ReadCommand | undefined {
  if (FIX_THIS.test(task)) {
    // Elsewhere the agent is meant, and another thing.
    if (trigger.inReplyTo === undefined) return undefined;
    return { verb: 'fix', handle: undefined, isAll: false, trigger, isReply: true };
  }
  const [, second, ...more] = task.split(/\s+/);
  const isAlone = second === undefined || FIX_ALL.test(task) || (more.length === 0 && isName(second));
  const command = isAlone && !task.includes('\n') ? readLine(task, '', trigger) : undefined;
  // `@axe search config2` is a question.
  return command !== undefined && 'words' in command ? undefined : command;
}

const FIX_THIS = /^fix(?:[ \t]+(?:this|it))?[.!]*$/i;
const FIX_ALL = /^fix[ \t]+all[.!]*$/i;

function readLine(line: string, below: string, trigger: CommentTrigger): ReadCommand | undefined {
  const [first = '', ...rest] = line.split(/\s+/);
  const verb = first.toLowerCase();
  const handle = readHandle(rest[0] ?? '');
  switch (verb) {
    case 'help':
      // What follows is a question to the agent.
      return rest.length === 0 ? { verb } : undefined;
    case 'pause':
    case 'resume':
      return { verb };
    case 'dismiss':
    case 'done':
    case 'reopen':
      return { verb, handle, trigger };
    case 'fix': {
      const isAll = FIX_ALL.test(line);
      const isAlone = rest.length === (handle === undefined ? 0 : 1);
      if (isAlone || isAll || FIX_THIS.test(line)) return { verb, handle, isAll, trigger };
      return handle === undefined ? undefined : { verb: 'mistyped', said: line, meant: `/axe fix ${handle}` };
    }
    case 'remember': {
      const text = withoutQuotes(`${line.slice(first.length)}\n${below}`.trim());
      return { verb, words: text === '' ? [] : [text] };
    }
    // What a comment cannot do is a command anyway: nobody is to pay for a mistake.
    case 'forget':
    case 'promote':
    case 'show':
    case 'search':
      return { verb, words: rest.map((word) => word.replace(/^[`"']+|[`"']+$/g, '')) };
    default: {
      const meant = meantBy(verb, rest);
      return meant === undefined ? undefined : { verb: 'mistyped', said: line, meant };
    }
  }
}

/** The text without quotes that stand around all of it. */
function withoutQuotes(text: string): string {
  return /^"[^"]*"$|^'[^']*'$/.test(text) ? text.slice(1, -1) : text;
}

/** Of a finding, or of an entry, which a digit distinguishes from a word such as `added`. */
function isName(word: string): boolean {
  return readHandle(word) !== undefined || /^[`"']?(?=[a-z-]*\d)[0-9a-z-]{6,40}[`"']?$/i.test(word);
}

/** Shorter words are too near to too much. */
const MIN_MISTYPED = 4;

/** The command that a line most likely stands for; other words behind it make a question. */
function meantBy(verb: string, rest: readonly string[]): string | undefined {
  const [word] = rest;
  const isFit = word === undefined || isName(word) || /^(?:full|all)$/i.test(word);
  if (verb.length < MIN_MISTYPED || rest.length > 1 || !isFit) return undefined;
  const names = COMMENT_COMMANDS.map(({ name }) => name);
  const meant = nearest(verb, names);
  return meant === undefined || meant === verb ? undefined : ['/axe', meant, ...rest].join(' ');
}
