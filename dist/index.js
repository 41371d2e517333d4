import { action } from './program/index.js';
await action();
