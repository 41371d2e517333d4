import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import type { Reading } from '../event/trust.js';
import { isDiff } from '../prompt/task.js';
import {
  reachesNetwork,
  type Tool,
  type ToolResult,
  WITHHELD_RESULT,
  withSecretsHidden,
} from '../tools/tool.js';
import { createCiter } from './cite.js';
import type { AgentConversation, LiveRun } from './conversation.js';
import { notesTools } from './notes.js';
import { publishingTools } from './publish.js';
import { REVIEWING_TOOLS } from './review-duty.js';
import { isKeptApart } from './save.js';
import { agentsBelow } from './sub-agents.js';

/** The tools of a conversation, except `call_agent`. */
interface ConversationTools {
  readonly tools: readonly Tool[];
  readonly missingServers: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the tools that an agent lists: those that publish, those for its notes, and all others,
 * which get the rest of the list. Throws for a tool that does not exist.
 */
export async function openConversationTools(
  { plan, notes, loop, depth, callerEffects, purpose }: AgentConversation,
  run: LiveRun,
): Promise<ConversationTools> {
  const { deps } = run;
  const { reporter, signal } = loop;
  const citer = createCiter(notes, run.change, resolve(deps.cwd, plan.workdir), deps);
  const onWritten = async () => {
    if (plan.memory !== undefined) await notes?.keep(isKeptApart(plan));
  };

  const publishing = publishingTools(plan.agent, run.publications);
  const issues = new ShownIssues(plan.task.message);
  const hasRead = (issue: number) => issues.has(issue);
  const forNotes = await notesTools(plan.agent, notes, { onWritten, cite: citer.cite, hasRead });
  for (const warning of [...publishing.warnings, ...forNotes.warnings]) reporter.warn(warning);

  const box = await deps.openTools({
    agent: withoutTools(plan.agent, [...publishing.listed, ...forNotes.listed]),
    workdir: plan.workdir,
    reading: plan.reading,
    hasChange: run.change !== undefined || isDiff(plan.task.message),
    callerEffects,
    callable: () => agentsBelow(plan.agent, run, depth),
    signal,
    warn: (warning) => reporter.warn(warning),
  });

  const show = ({ shown = [], text, isError }: ToolResult) => {
    (purpose ?? run.publications)?.show(shown);
    citer.show(shown);
    // An error quotes what the model wrote.
    if (!isError) issues.show(text);
  };
  const purposeTools = purpose === undefined ? [] : [...(purpose.others ?? []), purpose.tool];
  const { fixTests } = run;
  const published = fixTests === undefined ? publishing.tools : fixTests.before(publishing.tools);
  const reviewing = withAccepted(published, run.keepFound);
  const opened = [...box.tools, ...forNotes.tools, ...reviewing, ...purposeTools];
  const tools = trackTools(withSecretsHidden(opened, deps.secrets.values), plan.reading, show);
  return { tools, missingServers: box.missingServers ?? [], close: () => box.close() };
}

function withoutTools(agent: LoadedAgent, listed: readonly string[]): LoadedAgent {
  const tools = agent.config.tools.filter((name) => !listed.includes(name));
  return { ...agent, config: { ...agent.config, tools } };
}

/**
 * Wraps tools to record what they show, since only that can be evidence, and the strangers' words that they bring: some with each call, the others with a result that says so.
 * A run that knows private memory is given no such word, and makes no such call.
 * @internal
 */
export function trackTools(
  tools: readonly Tool[],
  reading: Reading,
  show: (result: ToolResult) => void,
): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const isReaching = reachesNetwork(tool);
      if (isReaching && reading.knowsPrivateMemory) return WITHHELD_RESULT;
      // Before the call: whatever comes of it can be in a file by then.
      if (isReaching) reading.addNetwork(tool.name);

      const result = await tool.execute(input, signal);
      const hasStrangers = result.strangers !== undefined;
      if (hasStrangers && reading.knowsPrivateMemory)
        return { ...WITHHELD_RESULT, stats: result.stats };
      if (hasStrangers) reading.addRead(result.strangers);
      show(result);
      return result;
    },
  }));
}

/** The issues and pull requests whose numbers a conversation was shown. */
class ShownIssues {
  private readonly numbers = new Set<number>();

  constructor(message: string) {
    this.show(message);
  }

  show(text: string): void {
    for (const [, hash, path] of text.matchAll(/#(\d{1,9})\b|\/(?:pull|issues)\/(\d{1,9})\b/g))
      this.numbers.add(Number(hash ?? path));
  }

  has(issue: number): boolean {
    return this.numbers.has(issue);
  }
}

/** The tools, which call back after each accepted call that is a part of a review. */
function withAccepted(tools: readonly Tool[], onAccepted: () => void): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const result = await tool.execute(input, signal);
      if (REVIEWING_TOOLS.includes(tool.name) && !result.isError) onAccepted();
      return result;
    },
  }));
}
