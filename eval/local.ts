import { parseArgs } from 'node:util';
import { runMainHere } from '../__tests__/helpers/run-main.js';
import type { Environment } from '../src/lib/environment.js';
import { messageOf } from '../src/lib/errors.js';
import { createFetch } from '../src/lib/net/http.js';
import { parseCase, UsageError } from './case.js';
import { chooseCases, loadCases } from './load.js';
import { makeVersions } from './versions.js';
import { FIRST_PULL, openScene, openWorld, type World } from './world.js';

const USAGE = `npm run try:local -- --url <address> --model <name> [--minutes <number>]

Runs the agents ask and pr-reviewer with the model of a server that speaks OpenAI's Chat
Completions API, for example http://127.0.0.1:8080/v1 of llama.cpp or http://127.0.0.1:11434/v1 of
Ollama. It says how each run ended, and its status is 1 if an end is not true: an answer that is
none, a failure without a reason, a green check of a run that did not end, or a limit not held.
  --minutes <number>   the limit of each run; default 5`;

/** What a run left. */
export interface LocalEnd {
  readonly conclusion: string;
  readonly reason: string;
  readonly exitCode: number;
  /** Its answer, or everything it posted. */
  readonly words: string;
  /** Of the check, if the run made one. */
  readonly check: string | undefined;
  readonly seconds: number;
}

const TRIES = [
  { name: 'ask', agent: 'builtin/ask', case: 'export-admin' },
  { name: 'pr-reviewer, a small change', agent: 'builtin/pr-reviewer', case: 'export-admin' },
  { name: 'pr-reviewer, a large change', agent: 'builtin/pr-reviewer', case: 'large-library' },
] as const;

interface Started {
  readonly args: readonly string[];
  readonly env: Environment;
  print(line: string): void;
  say(line: string): void;
}

/** Returns the exit status: 1 if an end is not true, 2 if there is no such server. */
export async function main({ args, env, print, say }: Started): Promise<number> {
  try {
    const { url, model, minutes } = readOptions(args);
    await requireServer(url, env);
    const world = await openWorld();
    let faults = 0;
    try {
      for (const attempt of TRIES) {
        const end = await run(world, attempt, { url, model, minutes, key: env['LOCAL_API_KEY'] });
        const untrue = faultsOf(end, minutes * 60);
        const words = end.reason === '' ? end.words : end.reason;
        print(`${attempt.name}: ${end.conclusion}, ${Math.round(end.seconds)} s: ${short(words)}`);
        for (const fault of untrue) print(`  not true: ${fault}`);
        faults += untrue.length;
      }
    } finally {
      await world.close();
    }
    print(faults === 0 ? 'Every end is true.' : `${faults} ends are not true.`);
    return faults === 0 ? 0 : 1;
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    say(thrown.message);
    return 2;
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      url: { type: 'string' },
      model: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const { url, model, minutes = '5' } = values;
  const isNamed = typeof url === 'string' && typeof model === 'string';
  if (!isNamed || !URL.canParse(url) || !(Number(minutes) > 0)) throw new UsageError(USAGE);
  return { url: url.replace(/\/+$/, ''), model, minutes: Number(minutes) };
}

const CONNECT_MS = 10_000;

/** Any answer will do: a model that is still being loaded is waited for by the run. */
async function requireServer(url: string, env: Environment): Promise<void> {
  try {
    const fetch = createFetch(env);
    await fetch(`${url}/models`, { signal: AbortSignal.timeout(CONNECT_MS) });
  } catch (thrown) {
    throw new UsageError(`There is no server at ${url}: ${messageOf(thrown)}`);
  }
}

async function run(
  { github }: World,
  { agent, case: name }: (typeof TRIES)[number],
  {
    url,
    model,
    minutes,
    key,
  }: {
    readonly url: string;
    readonly model: string;
    readonly minutes: number;
    readonly key: string | undefined;
  },
): Promise<LocalEnd> {
  const [loaded] = chooseCases(loadCases(), [name]);
  if (loaded === undefined) throw new Error(`no case ${name}`);
  const { title, description } = parseCase(JSON.stringify(loaded.about), name);
  const version = makeVersions(loaded).first;
  const scene = openScene({ github }, version.base);
  const pull = { number: FIRST_PULL, title, description, author: 'writer' } as const;
  const beganMs = performance.now();
  const step = await runMainHere({
    ...scene.open(pull, version),
    inputs: {
      agent,
      model: `local/${model}`,
      'timeout-minutes': String(minutes),
      ...(agent === 'builtin/ask'
        ? { prompt: 'Say in one sentence what this change does.' }
        : { 'check-run': 'true' }),
    },
    env: {
      AXE_LOCAL_BASE_URL: url,
      ...(key === undefined ? {} : { LOCAL_API_KEY: key }),
      ...github.env,
    },
  });
  const { reviews, checkRuns } = scene.repo.talk;
  const posted = reviews.map(({ body }) => body).join('\n');
  return {
    conclusion: step.outputs['conclusion'] ?? '',
    reason: step.outputs['reason'] ?? '',
    exitCode: step.exitCode ?? 1,
    words: agent === 'builtin/ask' ? (step.outputs['response'] ?? '') : posted,
    check: checkRuns.at(-1)?.conclusion ?? undefined,
    seconds: (performance.now() - beganMs) / 1000,
  };
}

const ENDS = [
  'success',
  'failure',
  'timeout',
  'budget-exceeded',
  'max-turns',
  'refused',
  'incomplete',
];

/** Answers that were lost are looked up, and texts are posted, after the time is over. */
const GRACE_S = 90;

/** The reasons why an end is not true. */
export function faultsOf(end: LocalEnd, limitS: number): readonly string[] {
  const { conclusion, reason, exitCode, words, check, seconds } = end;
  const hasSucceeded = conclusion === 'success';
  return [
    ...(ENDS.includes(conclusion) ? [] : [`the conclusion is "${conclusion}"`]),
    ...(hasSucceeded && words.trim() === '' ? ['it succeeded without a word'] : []),
    ...(!hasSucceeded && reason.trim() === ''
      ? ['it did not succeed, and no reason is given']
      : []),
    ...(hasSucceeded !== (exitCode === 0) ? [`its exit code is ${exitCode}`] : []),
    ...(!hasSucceeded && check === 'success' ? ['it did not succeed, and its check is green'] : []),
    ...(seconds > limitS + GRACE_S ? [`it took ${Math.round(seconds)} s`] : []),
  ];
}

const MAX_WORDS = 200;

function short(text: string): string {
  const line = text
    .replace(/<!--.*?-->/gs, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)} …` : line;
}
