import type { ModelParams } from '../core/agent/config.js';
import { formatFloat } from '../core/agent/format-float.js';

/** `temperature=0.7, max_tokens=512`, numbers as Go prints them (axe-behaviour §15). */
export function formatParams({ temperature, maxTokens }: ModelParams): string {
  return `temperature=${formatFloat(temperature ?? 0)}, max_tokens=${maxTokens}`;
}
