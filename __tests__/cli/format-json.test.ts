import { describe, expect, it } from '@jest/globals';
import { formatJson } from '../../src/cli/format-json.js';
import { STATS } from '../helpers/reports.js';

describe('the line of --json', () => {
  it("has axe's keys in axe's order and nothing else", () => {
    expect(formatJson('Fine.', STATS)).toBe(
      '{"content":"Fine.","duration_ms":6543,"input_tokens":1200,"model":"claude-sonnet-4-5","output_tokens":34,"stop_reason":"end_turn","tool_calls":1}',
    );
  });

  it.each([
    ['a < b && c > d', 'a \\u003c b \\u0026\\u0026 c \\u003e d'],
    ['"q" \\ /', '\\"q\\" \\\\ /'],
    ['one\ntwo\r\n\tthree', 'one\\ntwo\\r\\n\\tthree'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['\u0000\u001f', '\\u0000\\u001f'],
    ['\b\f', '\\b\\f'],
    ['\u007f\u0085\uFEFF', '\u007f\u0085\uFEFF'],
    ['é 😀 日本', 'é 😀 日本'],
    ['\\u003c', '\\\\u003c'],
    ['half \uD83D of a pair, \uDE00', 'half \uFFFD of a pair, \uFFFD'],
    ['', ''],
  ])('escapes %j as Go does (axe-behaviour §16)', (content, escaped) => {
    const line = formatJson(content, STATS);
    expect(line).toContain(`{"content":"${escaped}","duration_ms"`);
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toMatchObject({ content: content.replace(/\p{Surrogate}/gu, '\uFFFD') });
  });

  it('escapes what the provider says of itself too', () => {
    const line = formatJson('', { ...STATS, modelId: '<m>', stopReason: 'a&b' });
    expect(line).toContain('"model":"\\u003cm\\u003e"');
    expect(line).toContain('"stop_reason":"a\\u0026b"');
  });
});
