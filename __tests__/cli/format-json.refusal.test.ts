import { describe, expect, it } from '@jest/globals';
import { detectRefusal } from '../../src/cli/format-json.js';

describe('a refusal', () => {
  it.each([
    'I cannot review this.',
    "Sorry, but I can't do that.",
    'i CANNOT',
    "I'm unable to read the file",
    'I am unable to read the file',
    "I'm not able to help",
    'I am not able to help',
    'For that reason I must decline.',
    "I don't have the ability to open links",
    'I do not have the ability to open links',
    'First part.\n\nI can’t go on.',
    "As an AI model, I'm unable",
    'as an ai: here I am not able.',
  ])('is recognized in %p', (answer) => {
    expect(detectRefusal(answer)).toBe(true);
  });

  it.each([
    '',
    'Looks good to me.',
    'The CI cannot reach the registry.',
    'Pi cannot be written down.',
    'wiki can’t be edited',
    "I'm unable",
    'As an AI, I can help with that.',
    'as an air filter it works',
    'They cannot do it.',
  ])('is not recognized in %p', (answer) => {
    expect(detectRefusal(answer)).toBe(false);
  });
});
