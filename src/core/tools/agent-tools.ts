import { ALL_NOTES_TOOLS } from '../memory/notes/tool-names.js';
import { TOOL_NAMES } from './registry.js';
import { REVIEW_TOOL_NAMES } from './review/review-tools.js';

/** The names that `tools` of an agent may hold; those of MCP servers and `call_agent` are not named there. */
export const AGENT_TOOLS: readonly string[] = [...TOOL_NAMES, ...REVIEW_TOOL_NAMES, ...ALL_NOTES_TOOLS];
