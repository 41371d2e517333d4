import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { RunStats } from './outcome.js';

/** Running totals of a conversation. */
export class Usage {
  turns = 0;
  toolCalls = 0;
  stopReason = '';
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #modelId: string;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  add({ usage, finishReason, response }: LanguageModelV4GenerateResult): void {
    this.turns += 1;
    this.#inputTokens += tokens(usage.inputTokens.total);
    this.#outputTokens += tokens(usage.outputTokens.total);
    this.#cacheReadTokens += tokens(usage.inputTokens.cacheRead);
    this.stopReason = finishReason.raw ?? finishReason.unified;
    this.#modelId = response?.modelId ?? this.#modelId;
  }

  stats(durationMs: number): RunStats {
    return {
      turns: this.turns,
      toolCalls: this.toolCalls,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadTokens: this.#cacheReadTokens,
      durationMs,
      modelId: this.#modelId,
      stopReason: this.stopReason,
    };
  }
}

/** A provider may leave a figure out or send nonsense; neither may spoil the sums. */
function tokens(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}
