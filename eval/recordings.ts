import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest } from '../__tests__/helpers/loopback.js';
import { redact } from '../src/safety/redact.js';

/** Where recorded answers are kept. */
export const RECORDED = join(import.meta.dirname, 'recorded');

/** An answer of a model as it came over the wire. */
export interface RecordedAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** The answers of one model by what it was asked. */
export interface Recordings {
  /** The `nth` answer to a request, from 0; undefined where it was never recorded. */
  find(request: RecordedRequest, nth: number): RecordedAnswer | undefined;
  /** Keeps an answer, without secrets, as the `nth` to its request. */
  keep(request: RecordedRequest, nth: number, answer: RecordedAnswer): void;
}

/** The recordings of a model in a folder; `secrets` are the values that may stand in none. */
export function openRecordings(folder: string, model: string, secrets: readonly string[]): Recordings {
  const place = join(folder, folderOf(model));
  const fileOf = (request: RecordedRequest) => join(place, `${requestKey(request)}.json`);
  return {
    find: (request, nth) => readAnswers(fileOf(request))[nth],
    keep(request, nth, { contentType, body }) {
      const file = fileOf(request);
      const answers = [...readAnswers(file)];
      answers[nth] = { contentType, body: redact(body, secrets) };
      mkdirSync(place, { recursive: true });
      writeFileSync(file, `${JSON.stringify({ model, answers }, undefined, 2)}\n`);
    },
  };
}

/** The models of which there are recordings. */
export function recordedModels(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const [file] = readdirSync(join(folder, name)).filter((one) => one.endsWith('.json'));
      if (file === undefined) return [];
      const { model } = JSON.parse(readFileSync(join(folder, name, file), 'utf8')) as { model: string };
      return [model];
    })
    .toSorted();
}

/**
 * What a request is known by: model, messages and tools. Times, ids and folders differ from run to run and count for
 * nothing; any other change of a prompt makes another request.
 */
export function requestKey({ path, body }: RecordedRequest): string {
  const { model, system, instructions, messages, input, contents, systemInstruction, tools } =
    typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  // Google's requests name the model in their address.
  const asked = [path, model, system, instructions, systemInstruction, messages, input, contents, tools];
  const text = JSON.stringify(
    asked.map((part) => part ?? null),
    sortKeys,
  );
  return createHash('sha256').update(steadyText(text)).digest('hex').slice(0, 32);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Text without what differs from run to run. */
function steadyText(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?)?/g, '<time>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(/\/[\w/.-]*axe-action-[\w-]+/g, '<folder>')
    .replaceAll(/\b0[0-9a-z]{25}\b/g, '<id>');
}

function readAnswers(file: string): readonly RecordedAnswer[] {
  if (!existsSync(file)) return [];
  const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: readonly RecordedAnswer[] };
  return answers;
}

function folderOf(model: string): string {
  return model.replaceAll(/[^\w.-]+/g, '--');
}
