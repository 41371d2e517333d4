// slow
import { replayScenarios } from './replay-scenarios.js';

replayScenarios(1);
