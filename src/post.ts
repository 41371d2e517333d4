import { endProcess, isNothingPending, NOTHING_PENDING, ownRunner } from './runner/runner.js';

// The main step saves nearly always, so the rest of the program is loaded only if it did not.
if (isNothingPending(process.env)) process.stdout.write(`${NOTHING_PENDING}\n`);
else {
  const { post } = await import('./action/post.js');
  await post(ownRunner());
  endProcess();
}
