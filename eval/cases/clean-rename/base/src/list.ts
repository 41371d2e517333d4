import { type Customer, label } from './customer.js';

export function labels(customers: readonly Customer[]): readonly string[] {
  return customers.map(label);
}
