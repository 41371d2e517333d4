import { costOf, type Price, type TokenUse } from './budget.js';

/** What an agent of a run has taken of one model, in all the conversations that it held. */
export interface AgentUsage {
  readonly name: string;
  /** As the provider reports it. */
  readonly modelId: string;
  readonly conversations: number;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined if the price is not known. */
  readonly costUsd: number | undefined;
}

/** A reply, as it is counted. */
export interface CountedReply {
  readonly modelId: string;
  readonly use: TokenUse;
  readonly price: Price | undefined;
}

/** Who took how much of what a run has used: its agent, the passes of a review, sub-agents, second looks. */
export class UsageByAgent {
  readonly #usages = new Map<string, AgentUsage>();

  /** Begins a conversation: what is given is to be called for each of its replies. */
  begin(name: string): (reply: CountedReply) => void {
    const answered = new Set<string>();
    return ({ modelId, use, price }) => {
      const key = JSON.stringify([name, modelId]);
      const before = this.#usages.get(key);
      const cost = price === undefined ? undefined : costOf(use, price);
      this.#usages.set(key, {
        name,
        modelId,
        conversations: (before?.conversations ?? 0) + (answered.has(key) ? 0 : 1),
        turns: (before?.turns ?? 0) + 1,
        inputTokens: (before?.inputTokens ?? 0) + use.input,
        outputTokens: (before?.outputTokens ?? 0) + use.output,
        costUsd: before === undefined ? cost : sumOf(before.costUsd, cost),
      });
      answered.add(key);
    };
  }

  /** In the order of their first replies. */
  get all(): readonly AgentUsage[] {
    return [...this.#usages.values()];
  }
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
