export interface Customer {
  readonly id: string;
  readonly email: string;
}

export function label(customer: Customer): string {
  return `${customer.email} (${customer.id})`;
}
