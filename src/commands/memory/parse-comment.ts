import { ConfigError } from '../../core/errors.js';
import type { Trigger } from '../../core/event/trigger.js';

/**
 * The words of a command over memory that a comment gives, `/axe forget 01m8k2…`, at its very beginning; undefined for
 * any other comment or event. `remember` takes all the rest, line breaks included; of the others the first line counts.
 * What a comment cannot do is a command anyway: nobody is to pay for a mistake.
 */
export function commandInComment(trigger: Trigger): readonly string[] | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const body = trigger.body.replaceAll('\r\n', '\n').replace(/^(?:[ \t]*\n)+/, '');
  const [, name = '', rest = ''] = ASKED.exec(body) ?? [];
  const command = name.toLowerCase();
  if (command === 'remember') return textArguments(command, rest.trim());
  const words = (rest.split('\n', 1)[0] ?? '').split(/\s+/).map(bare);
  return command === '' ? undefined : [command, ...words.filter((word) => word !== '')];
}

/** Whether several lines of a comment begin a command that may be in one: it is not clear what is meant. */
export function hasSeveralCommands(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && [...trigger.body.matchAll(EACH)].length > 1;
}

/** Four spaces would make it code. */
const ASKED =
  /^ {0,3}\/axe[ \t]+(show|search|verify|forget|edit|remember|promote|export|import|push|merge)(?=\s|$)([\s\S]*)$/i;
const EACH = /^ {0,3}\/axe[ \t]+(?:forget|remember)(?=\s|$)/gim;

/** An id may have been copied with the marks that make it code. */
function bare(word: string): string {
  return word.replace(/^[`"']+|[`"']+$/g, '');
}

/**
 * The input `memory-command`, as words. Quotes hold together what belongs together, in double ones `\"` stands for a
 * quote; `remember <text>` and `edit <id> <text>` take all the rest as it is. Throws a ConfigError for a quote that is
 * not closed.
 */
export function memoryCommandIn(text: string): readonly string[] {
  const [, name = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  if (name === 'remember') return textArguments(name, rest.replace(/^--text(?:=|\s+)/, '').trim());
  const [, id, result = ''] = /^([^\s"'-]\S*)\s+(?!--)([\s\S]*\S)\s*$/.exec(rest) ?? [];
  if (name === 'edit' && id !== undefined) return [name, id, `--text=${unquote(result)}`];
  return name === '' ? [] : [name, ...splitArguments(rest)];
}

function textArguments(name: string, text: string): readonly string[] {
  return text === '' ? [name] : [name, '--', unquote(text)];
}

/** The text without quotes that stand around all of it. */
function unquote(text: string): string {
  const quoted = QUOTED.exec(text);
  return quoted === null ? text : inner(quoted);
}

const QUOTED = /^(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')$/;
const WORD = /\s*(--[\w-]+=)?(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')(?=\s|$)|\s*(\S+)/gy;

function splitArguments(text: string): readonly string[] {
  return [...text.trim().matchAll(WORD)].map(([, flag = '', double, single, plain]) => {
    if (plain === undefined) return flag + inner(['', double, single]);
    if (!/^(?:--[\w-]+=)?["']/.test(plain)) return plain;
    throw new ConfigError(`the input \`memory-command\`: a quotation mark is not closed: ${plain}`, {
      remedy: 'Close it before a space; inside double quotes write `\\"`.',
    });
  });
}

function inner([, double, single = '']: readonly (string | undefined)[]): string {
  return double === undefined ? single : double.replace(/\\(["\\])/g, '$1');
}
