import { nearest } from '../../agent/suggest.js';
import { COMMENT_COMMANDS } from '../../event/comment-commands.js';
import { findMention } from '../../event/mention.js';
import type { CommentTrigger, Trigger } from '../../event/trigger.js';
import { commandInComment } from '../../memory/commands/parse-memory-command.js';
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
  readonly kind: 'finding';
  readonly verb: 'dismiss' | 'done' | 'reopen';
}

export interface FixCommand extends OnFinding {
  readonly kind: 'fix';
  readonly verb: 'fix';
  /** All that are open are meant. */
  readonly isAll: boolean;
}

export type ReadCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'paused' | 'resumed' }
  | { readonly kind: 'memory'; readonly words: readonly string[] }
  | FindingCommand
  /** Its answer is a run. */
  | FixCommand
  /** `said` is not a command; `meant` is the one that it most likely stands for, as it is written. */
  | { readonly kind: 'mistyped'; readonly said: string; readonly meant: string };

/**
 * The command that a comment begins with, `/axe help`, or that follows the `trigger-phrase` where the comment says
 * nothing else, `@axe help`; or a reply that dismisses a finding in a set phrase. Undefined for what an agent is to answer: a
 * question, and `/axe review`.
 */
export function readCommand(trigger: Trigger, triggerPhrase: string): ReadCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const words = commandInComment(trigger);
  if (words !== undefined) return { kind: 'memory', words };
  const pause = readPause(trigger.body);
  if (pause !== undefined) return pause;
  const slash = afterSlash(trigger.body);
  if (slash !== undefined) {
    if (slash.line !== '') return readLine(slash.line, trigger);
    // A question may follow on the next lines.
    return slash.hasMore ? undefined : { kind: 'help' };
  }
  const task = triggerPhrase === '' ? undefined : findMention(trigger.body, triggerPhrase);
  return task === undefined ? replyCommand(trigger) : readTask(task.trim(), trigger);
}

/** `/axe pause` or `/axe resume` on the first line that says something, whatever follows. */
function readPause(body: string): ReadCommand | undefined {
  const [, word] = /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+(pause|resume)(?:[ \t\r\n]|$)/i.exec(body) ?? [];
  if (word === undefined) return undefined;
  return { kind: word.toLowerCase() === 'pause' ? 'paused' : 'resumed' };
}

/** "Not a bug" in a conversation on a line dismisses what began it, as the next run would understand it. */
function replyCommand(trigger: CommentTrigger): FindingCommand | undefined {
  const isReply = trigger.on === 'pull_request' && trigger.inReplyTo !== undefined;
  if (!isReply || isOwnText(trigger.body) || !isDismissal(trigger.body)) return undefined;
  return { kind: 'finding', verb: 'dismiss', handle: undefined, trigger, isReply: true };
}

/** What follows `/axe` on the first line that says something; four spaces before it would make it code. */
function afterSlash(body: string): { readonly line: string; readonly hasMore: boolean } | undefined {
  const [first = '', ...more] = body
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .split('\n');
  const match = /^ {0,3}\/axe(?:[ \t]+(.*))?$/i.exec(first);
  if (match === null) return undefined;
  return { line: (match[1] ?? '').trim(), hasMore: more.join('').trim() !== '' };
}

/** After the phrase a command is all that the comment says: `@axe help`, and not `@axe help me with the cache`. */
function readTask(task: string, trigger: CommentTrigger): ReadCommand | undefined {
  const [, second, ...more] = task.split(/\s+/);
  const isThis = FIX_THIS.test(task);
  const isAlone =
    second === undefined ||
    isThis ||
    FIX_ALL.test(task) ||
    (more.length === 0 && (readHandle(second) ?? idIn(second)) !== undefined);
  if (task.includes('\n') || !isAlone) return undefined;
  // Elsewhere the agent is meant, and another thing.
  if (isThis)
    return trigger.inReplyTo === undefined ? undefined : { ...fix(undefined, trigger), isReply: true };
  return readPause(`/axe ${task}`) ?? readLine(task, trigger);
}

const FIX_THIS = /^fix(?:[ \t]+(?:this|it))?[.!]*$/i;
const FIX_ALL = /^fix[ \t]+all[.!]*$/i;

function fix(handle: string | undefined, trigger: CommentTrigger, isAll = false): FixCommand {
  return { kind: 'fix', verb: 'fix', handle, isAll, trigger };
}

function readLine(line: string, trigger: CommentTrigger): ReadCommand | undefined {
  const [first = '', ...rest] = line.split(/\s+/);
  const name = first.toLowerCase();
  const [handle = ''] = rest;
  switch (name) {
    case 'help':
      // What follows is a question to the agent.
      return rest.length === 0 ? { kind: 'help' } : undefined;
    case 'dismiss':
    case 'done':
    case 'reopen':
      return { kind: 'finding', verb: name, handle: readHandle(handle), trigger };
    case 'fix': {
      const named = readHandle(handle);
      const isAlone = rest.length === 0 || (named !== undefined && rest.length === 1);
      if (isAlone || FIX_ALL.test(line) || FIX_THIS.test(line))
        return fix(named, trigger, FIX_ALL.test(line));
      return named === undefined ? undefined : { kind: 'mistyped', said: line, meant: `/axe fix ${named}` };
    }
    default: {
      const meant = meantBy(name, rest);
      return meant === undefined ? undefined : { kind: 'mistyped', said: line, meant };
    }
  }
}

/** An id of an entry; a digit distinguishes it from a word such as `added`. */
function idIn(word: string): string | undefined {
  const [, id] = /^[`"']?(?=[a-z-]*\d)([0-9a-z-]{6,40})[`"']?$/i.exec(word) ?? [];
  return id?.toLowerCase();
}

/** Shorter words are too near to too much. */
const MIN_MISTYPED = 4;

/** The command that a line most likely stands for; other words behind it make a question. */
function meantBy(name: string, rest: readonly string[]): string | undefined {
  const [word] = rest;
  const isFit =
    word === undefined || (idIn(word) ?? readHandle(word)) !== undefined || /^(?:full|all)$/i.test(word);
  if (name.length < MIN_MISTYPED || rest.length > 1 || !isFit) return undefined;
  const meant = nearest(
    name,
    COMMENT_COMMANDS.map((command) => command.name),
  );
  return meant === undefined || meant === name ? undefined : ['/axe', meant, ...rest].join(' ');
}
