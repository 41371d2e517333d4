import { expect, it } from '@jest/globals';
import { offeredName, withoutWrittenCalls } from '../../src/loop/written-calls.js';

const OFFERED = ['read_file', 'submit_review'];
const CALL = '{"name": "read_file", "arguments": {"path": "a"}}';

it.each([
  ['tags', `<tool_call>\n${CALL}\n</tool_call>`, ''],
  ['tags without an end', `<tool_call>${CALL}`, ''],
  ['an XML form', '<tool_call>\n<function=read_file>\n<parameter=path>a</parameter>', ''],
  ['Mistral’s marker', '[TOOL_CALLS][{"name": "drop_tables"}]', ''],
  ['Mistral’s newer marker', '[TOOL_CALLS]read_file{"path": "a"}', ''],
  [
    'Claude’s old form',
    'I look.\n<function_calls>\n<invoke name="x"/>\n</function_calls>',
    'I look.',
  ],
  ['DeepSeek’s marker', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function', ''],
  ['DeepSeek’s marker in ASCII', '<|tool▁calls▁begin|><|tool▁call▁begin|>function', ''],
  ['Kimi’s marker', '<|tool_calls_section_begin|><|tool_call_begin|>functions.a:0', ''],
  ['text before and after', `First.\n<tool_call>${CALL}</tool_call>\nLast.`, 'First.\n\nLast.'],
])('a call that is written with %s is left out', (_, text, expected) => {
  expect(withoutWrittenCalls(text, OFFERED)).toBe(expected);
});

it.each([
  ['bare JSON', CALL],
  ['JSON in a fence', `\`\`\`json\n${CALL}\n\`\`\``],
  ['JSON in tags', `<tools>${CALL}</tools>`],
  ['a list with one call', `[${CALL}]`],
  ['a call with its parameters', '{"name": "read_file", "parameters": {"path": "a"}}'],
  ['a nested function', '{"type": "function", "function": {"name": "read_file"}}'],
  ['a tool key', '{"tool": "read_file", "args": {}}'],
  ['a prefixed name', '{"name": "functions.read_file", "arguments": {}}'],
  ['a call like in Python', '[submit_review(summary="All is well.")]'],
])('an answer that is a call of an offered tool as a whole is no answer: %s', (_, text) => {
  expect(withoutWrittenCalls(text, OFFERED)).toBe('');
});

it.each([
  ['JSON with the name of a person', '{"name": "Mona", "arguments": []}'],
  ['a call of a tool that is not offered', '{"name": "drop_tables", "arguments": {}}'],
  ['JSON within a sentence', `The call is ${CALL}.`],
  ['a call in a code block', `So:\n\`\`\`\n<tool_call>${CALL}</tool_call>\n\`\`\``],
  ['a call in a code block without an end', `So:\n~~~\n<tool_call>${CALL}</tool_call>`],
  ['a marker in a sentence', 'The marker `<tool_call>` begins it.'],
  ['a marker without a call', '<tool_call> is what begins a call.'],
  ['an empty list', '[]'],
  ['nothing', ''],
])('the answer stays as it is with %s', (_, text) => {
  expect(withoutWrittenCalls(text, OFFERED)).toBe(text);
});

it('a megabyte of markers takes no time', () => {
  const text = '<tool_call>{ ```\n'.repeat(60_000);
  expect(withoutWrittenCalls(text, OFFERED)).toBe('');
});

it.each([
  ['read_file', 'read_file'],
  ['functions.read_file', 'read_file'],
  ['functions:read_file', 'read_file'],
  ['tools.read_file', 'read_file'],
  ['default_api.read_file', 'read_file'],
  ['read_file<|channel|>commentary', 'read_file'],
  ['functions.read_file:0', 'read_file'],
  ['functions.drop_tables', 'functions.drop_tables'],
  ['read_files', 'read_files'],
])('the name %s means %s', (name, expected) => {
  expect(offeredName(name, OFFERED)).toBe(expected);
});
