/** An OAuth provider (2.1) as shown in a connection's status: no client ids, no URLs. */
export interface ObservedProvider {
  readonly id: string;
  readonly providerID: string;
  readonly name: string;
  readonly type?: string;
}
