import { isNothingPending, NOTHING_PENDING } from './actions/runner/pending-state.js';

// The main step saves nearly always, so the rest of the program is loaded only if it did not.
if (isNothingPending(process.env)) process.stdout.write(`${NOTHING_PENDING}\n`);
else {
  // One bundle serves main and post, and the runner gives no arguments: this word tells them apart.
  process.argv[2] = 'post';
  await import('./action.js');
}
