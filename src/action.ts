import { main } from './actions/main.js';
import { endProcess, ownRunner } from './actions/runner/runner.js';

await main(ownRunner());
endProcess();
