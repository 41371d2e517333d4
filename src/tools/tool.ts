import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { RunStats } from '../lib/outcome.js';
import type { ShownLines } from '../review/evidence.js';

/** What a tool can do to the world; decides who may have it (D22). */
export type Effect = 'read' | 'memory' | 'write' | 'execute' | 'network' | 'publish';

/** What a tool answers to the model. Trouble is an answer too: a tool never ends a run. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The text holds words of people who are not known to have write access (D19). */
  readonly isTainted?: boolean;
  /** Lines of files that the text shows: what the model may name as evidence. */
  readonly shown?: readonly ShownLines[];
  /** What a sub-agent used to answer; counted for the agent that called it. */
  readonly stats?: RunStats;
}

/** A function the model may call. */
export interface Tool {
  readonly name: string;
  readonly effect: Effect;
  /** It changes nothing, so that its calls may run side by side; tools of the effect `read` never change anything. */
  readonly isReadOnly?: boolean;
  readonly description: string;
  /** JSON schema (draft 7) of the arguments: an object; its key order is fixed, so that prompts can be cached. */
  readonly inputSchema: LanguageModelV4FunctionTool['inputSchema'];
  /** Runs a call. `input` is parsed JSON that nobody has checked yet. */
  execute(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}
