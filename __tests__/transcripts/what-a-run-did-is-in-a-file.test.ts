import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { calls, LOGGED, reviewStage, submit } from './review-scene.js';
import { expectTranscript, steady } from './stage.js';

/** Put together here, so that no scanner reports this file as a leak. */
const SECRET = `ghp_${'q7Zk2Pv9Xw4L'.repeat(3)}`;

it('a run is in a file, line by line: requests, answers, calls and findings, without a key or a secret', async () => {
  const said = {
    ...LOGGED,
    input: { ...LOGGED.input, body: `Whoever reads the log has "${SECRET}\\n".` },
  };
  const stage = await reviewStage([calls(said), calls(submit('One thing.')), text('Reviewed.')]);
  const step = await stage.run();
  expect(step.outputs['transcript-file']).toMatch(/\/axe-action-transcript-\w+\.jsonl$/);
  const written = readFileSync(step.outputs['transcript-file'] ?? '', 'utf8');
  for (const secret of [
    SECRET,
    ...Object.values(stage.model.env).filter((value) => value.length > 20),
  ])
    expect(written.replaceAll('http://', '')).not.toContain(secret);
  // What the tools are and what the task says is other suites' business.
  const short = written
    .replace(/"tools":\[.*?\],"messages":\[.*\]/, '"tools":[…],"messages":[…]')
    .replaceAll(/"toolCallId":"[\w-]+"/g, '"toolCallId":"<call>"')
    .replaceAll(/"durationMs":\d+/g, '"durationMs":0');
  expectTranscript('what-a-run-did-is-in-a-file', steady(short));
});
