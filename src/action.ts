import { main } from './action/main.js';
import { endProcess, ownRunner } from './runner/runner.js';

await main(ownRunner());
endProcess();
