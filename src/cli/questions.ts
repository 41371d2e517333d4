import { createInterface } from 'node:readline';
import { AxeError } from '../core/errors.js';
import { print, type Terminal } from './terminal.js';

/** A question with numbered answers; the first is taken for an empty line. */
export interface Question {
  readonly text: string;
  readonly answers: readonly { readonly value: string; readonly about: string }[];
  /** What may be typed instead of a number; undefined if nothing may. */
  readonly other?: string;
}

/** Asks in a terminal, one question after the other. */
export interface Interview {
  /** The value of the chosen answer, or what was typed. Throws an AxeError where the input ends. */
  ask(question: Question): Promise<string>;
  close(): void;
}

/** Whether somebody sits at the terminal who can answer. */
export function canAsk({ stdin, stdout }: Terminal): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/**
 * The terminal stays in its usual mode, so that it edits the line, and Ctrl-C ends the program: nothing is written before
 * the last answer.
 */
export function startInterview(terminal: Terminal): Interview {
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const read = lines[Symbol.asyncIterator]();
  return {
    async ask(question) {
      show(question, terminal);
      for (;;) {
        terminal.stdout.write('> ');
        const line = await read.next();
        if (line.done === true) {
          print(terminal, '');
          throw new AxeError('the question was not answered', { remedy: 'Nothing was written.' });
        }
        const value = answerOf(line.value.trim(), question);
        if (value !== undefined) return value;
        print(terminal, `Type a number from 1 to ${question.answers.length}.`);
      }
    },
    close: () => lines.close(),
  };
}

function show({ text, answers, other }: Question, terminal: Terminal): void {
  const width = Math.max(...answers.map(({ value }) => value.length));
  print(terminal, `\n${text}`);
  for (const [index, { value, about }] of answers.entries()) {
    const usual = index === 0 ? ' (default)' : '';
    print(terminal, `  ${index + 1}  ${value.padEnd(width)}  ${about}${usual}`);
  }
  if (other !== undefined) print(terminal, `     ${other}`);
}

function answerOf(line: string, { answers, other }: Question): string | undefined {
  if (line === '') return answers[0]?.value;
  const chosen = answers[Number(line) - 1] ?? answers.find(({ value }) => value === line);
  if (chosen !== undefined) return chosen.value;
  return other !== undefined && !/^\d+$/.test(line) ? line : undefined;
}
