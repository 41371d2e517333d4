/**
 * The data of an error that stands for an answer that never came. No server can send it: what it sends is another object.
 */
export const LOST_ANSWER: object = Object.freeze({ reason: 'the answer broke off' });
