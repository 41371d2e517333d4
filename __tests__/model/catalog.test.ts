import { describe, expect, it } from '@jest/globals';
import { findProvider, PROVIDER_IDS } from '../../src/model/catalog.js';

describe('the catalog of providers (axe-behaviour §3)', () => {
  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY', true, 'AXE_ANTHROPIC_BASE_URL', 'https://api.anthropic.com'],
    ['openai', 'OPENAI_API_KEY', true, 'AXE_OPENAI_BASE_URL', 'https://api.openai.com'],
    ['ollama', 'OLLAMA_API_KEY', false, 'AXE_OLLAMA_BASE_URL', 'http://localhost:11434'],
    ['opencode', 'OPENCODE_API_KEY', true, 'AXE_OPENCODE_BASE_URL', 'https://opencode.ai/zen'],
    ['google', 'GEMINI_API_KEY', true, 'AXE_GOOGLE_BASE_URL', 'https://generativelanguage.googleapis.com'],
    ['minimax', 'MINIMAX_API_KEY', true, 'AXE_MINIMAX_BASE_URL', 'https://api.minimax.io/anthropic'],
    ['bedrock', 'AWS_BEARER_TOKEN_BEDROCK', false, 'AXE_BEDROCK_BASE_URL', undefined],
    ['openrouter', 'OPENROUTER_API_KEY', true, 'AXE_OPENROUTER_BASE_URL', 'https://openrouter.ai/api/v1'],
    ['vertex', 'GOOGLE_VERTEX_API_KEY', false, 'AXE_VERTEX_BASE_URL', undefined],
    ['azure', 'AZURE_OPENAI_API_KEY', false, 'AXE_AZURE_BASE_URL', undefined],
    ['groq', 'GROQ_API_KEY', false, 'AXE_GROQ_BASE_URL', undefined],
    ['my-gate.way', 'MY_GATE_WAY_API_KEY', false, 'AXE_MY_GATE_WAY_BASE_URL', undefined],
    ['constructor', 'CONSTRUCTOR_API_KEY', false, 'AXE_CONSTRUCTOR_BASE_URL', undefined],
  ])('contains %s', (id, keyVariable, needsKey, baseUrlVariable, defaultBaseUrl) => {
    expect(findProvider({ provider: id, model: 'm' })).toMatchObject({
      id,
      keyVariable,
      needsKey,
      baseUrlVariable,
      defaultBaseUrl,
    });
  });

  it("starts with axe's three, in axe's order", () => {
    expect(PROVIDER_IDS.slice(0, 3)).toEqual(['anthropic', 'openai', 'ollama']);
  });

  it('has no key and no address for the offline rules (D32)', () => {
    expect(findProvider({ provider: 'offline', model: 'rules' })).toMatchObject({
      access: 'offline',
      needsKey: false,
      keyVariable: '',
      baseUrlVariable: '',
    });
  });
});
