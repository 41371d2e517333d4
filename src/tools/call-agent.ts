import type { Tool, ToolResult } from './tool.js';

/** A call of a sub-agent. */
export type AgentCall = Readonly<Record<'agent' | 'task' | 'context', string>>;

/** The tool that calls one of the named sub-agents. Name, texts and checks are axe's. */
export function createCallAgentTool(
  names: readonly string[],
  call: (input: AgentCall, signal: AbortSignal) => Promise<ToolResult>,
): Tool {
  const listed = names.join(', ');
  return {
    name: 'call_agent',
    effect: 'read',
    description: `Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: ${listed}`,
    inputSchema: {
      type: 'object',
      properties: {
        agent: {
          type: 'string',
          description: `Name of the sub-agent to invoke (must be one of: ${listed})`,
        },
        task: { type: 'string', description: 'What you need the sub-agent to do' },
        context: {
          type: 'string',
          description: 'Additional context from your conversation to pass along',
        },
      },
      required: ['agent', 'task'],
    },
    async execute(input, signal) {
      const { agent, task, context } = readInput(input);
      if (agent === '') return refuse('"agent" argument is required');
      if (task === '') return refuse('"task" argument is required');
      if (!names.includes(agent))
        return refuse(`agent "${agent}" is not in this agent's sub_agents list`);
      return await call({ agent, task, context }, signal);
    },
  };
}

function refuse(reason: string): ToolResult {
  return { text: `call_agent error: ${reason}`, isError: true };
}

/** Every argument is a string in axe; other values are written as JSON. */
function readInput(input: unknown): AgentCall {
  const values = new Map(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const text = (name: string): string => {
    const value: unknown = values.get(name);
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return { agent: text('agent'), task: text('task'), context: text('context') };
}

/** axe gives the caller an empty text, which some providers refuse. */
export function formatEmptyAnswer(name: string): string {
  return `[Sub-agent "${name}" ended with an empty answer.]`;
}

/** The caller can use this part, but has to know that the end is missing. */
export function formatPartOfAnswer(name: string, detail: string, answer: string): string {
  return `Error: sub-agent "${name}" gave only a part of its answer - ${detail}. You may retry, or use this part:\n\n${answer}`;
}

export function formatFailedCall(name: string, detail: string): string {
  return `Error: sub-agent "${name}" failed - ${detail}. You may retry or proceed without this result.`;
}
