import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { Dependencies } from '../../src/run/dependencies.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import {
  call,
  createFakeModel,
  type FakeModel,
  type FakeReply,
  reply,
  says,
} from '../helpers/model-fake.js';

/** An agent with a model of its own, `p/<name>`; `more` are further keys and tables. */
export function agent(name: string, more = ''): string {
  return `name = "${name}"\nmodel = "p/${name}"\nsystem_prompt = "I am ${name}."\n${more}\n`;
}

/** The agent of the run, with these sub-agents. */
export function parent(subAgents: readonly string[], more = ''): string {
  return agent('bot', `sub_agents = ${JSON.stringify(subAgents)}\n${more}`);
}

/** A reply that calls sub-agents, each with its arguments. */
export function delegates(...inputs: readonly unknown[]): LanguageModelV4GenerateResult {
  return reply(inputs.map((input, index) => call(`call_${index}`, 'call_agent', input)));
}

/** What the tools said before a request. */
function toolResults({ prompt }: LanguageModelV4CallOptions): { text: string; isError: boolean }[] {
  const last = prompt.at(-1);
  if (last?.role !== 'tool') throw new Error(`no tool results but ${last?.role}`);
  return last.content.map((part) => {
    if (
      part.type !== 'tool-result' ||
      (part.output.type !== 'text' && part.output.type !== 'error-text')
    ) {
      throw new Error(`not a result of text: ${JSON.stringify(part)}`);
    }
    return { text: part.output.value, isError: part.output.type === 'error-text' };
  });
}

/** What a scene is made of. */
interface Scene extends Omit<FakeDependenciesParts, 'models'> {
  /** What the models say, by agent; a model that only answers is the default. */
  readonly replies: Readonly<Record<string, readonly FakeReply[]>>;
  readonly request?: Partial<RunRequest>;
  /** Changes the world the run gets. */
  readonly inWorld?: (deps: FakeDependencies) => Dependencies;
}

/** Runs the agent `bot`; `results` are what the sub-agents answered it, first turn. */
export async function runDelegation({ replies, request, inWorld, ...parts }: Scene) {
  const entries = Object.entries(replies).map(
    ([name, list]) => [name, createFakeModel(list, name)] as const,
  );
  const models: Readonly<Record<string, FakeModel>> = Object.fromEntries(entries);
  const byRef = Object.fromEntries(entries.map(([name, model]) => [`p/${name}`, model]));
  const deps = createFakeDependencies({ ...parts, models: byRef });
  const report = await runPipeline(makeRequest(request), inWorld?.(deps) ?? deps);
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  const second = models['bot']?.asked[1];
  return {
    deps,
    models,
    outcome: report.outcome,
    results: second === undefined ? [] : toolResults(second),
  };
}

/** Runs `bot` with one sub-agent, `a`, which is called once; its text is the answer of the run. */
export async function callOnce(
  child: string,
  replies: readonly FakeReply[],
  { more = '', input = { agent: 'a', task: 'look' }, ...scene }: OneCall = {},
) {
  const run = await runDelegation({
    agents: { bot: parent(['a'], more), a: child },
    replies: { bot: [delegates(input), says('done')], a: replies },
    ...scene,
  });
  return { ...run, result: run.results[0] };
}

interface OneCall extends Partial<Omit<Scene, 'agents' | 'replies'>> {
  /** Further keys of `bot`. */
  readonly more?: string;
  readonly input?: unknown;
}
