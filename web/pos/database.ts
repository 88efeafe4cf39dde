/** The databases of this terminal with their object stores. Guests have their own database: they come from the server again. */
const DATABASES = {
  pos: {
    queue: { keyPath: 'key' },
    sent: { keyPath: 'key' },
    log: { autoIncrement: true },
    meta: {},
  },
  'pos-guests': {
    guests: { keyPath: 'id' },
    checkIns: { keyPath: 'key' },
    meta: {},
  },
} as const satisfies Record<string, Record<string, IDBObjectStoreParameters>>;
type DatabaseName = keyof typeof DATABASES;
export type StoreName = 'queue' | 'sent' | 'log' | 'meta' | 'guests' | 'checkIns';

const VERSION = 1;

/** The browser could not store or read data: a full disk, a broken profile, a private window. */
export class StorageError extends Error {}

export interface Transaction {
  get<T>(store: StoreName, key: IDBValidKey): Promise<T | undefined>;
  all<T>(store: StoreName): Promise<T[]>;
  put(store: StoreName, value: unknown, key?: IDBValidKey): void;
  delete(store: StoreName, key: IDBValidKey): void;
  clear(store: StoreName): void;
}

/** IndexedDB with promises. After `write` has completed, the data is on the disk and not only in a buffer. */
export class Database {
  private connection: Promise<IDBDatabase> | undefined;

  constructor(private readonly name: DatabaseName = 'pos') {}

  async read<T>(stores: readonly StoreName[], work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.run(stores, 'readonly', work);
  }

  async write<T>(stores: readonly StoreName[], work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    return await this.run(stores, 'readwrite', work);
  }

  private async run<T>(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    work: (tx: Transaction) => Promise<T> | T,
  ): Promise<T> {
    let transaction: IDBTransaction;
    try {
      const database = await (this.connection ??= this.open());
      // Without `strict`, a browser may report success before the data is on the disk, and a power loss would delete the data.
      transaction = database.transaction([...stores], mode, { durability: 'strict' });
    } catch (cause) {
      this.connection = undefined;
      throw new StorageError('The database cannot be opened', { cause });
    }
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(new StorageError('Nothing was kept', { cause: transaction.error }));
    });
    // The code below awaits `done`. If the work fails earlier, this handler prevents an unhandled rejection.
    done.catch(() => undefined);
    let result: T;
    try {
      result = await work(steps(transaction));
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // The transaction has already ended.
      }
      await done.catch(() => undefined);
      throw error instanceof DOMException ? new StorageError(error.message, { cause: error }) : error;
    }
    await done;
    return result;
  }

  private open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, VERSION);
      request.onupgradeneeded = () => {
        const database = request.result;
        for (const [store, options] of Object.entries(DATABASES[this.name]))
          database.createObjectStore(store, options);
      };
      request.onsuccess = () => {
        const database = request.result;
        // A newer version of the page needs to change the stores, so close them. The next use opens them again.
        database.onversionchange = () => {
          database.close();
          this.connection = undefined;
        };
        database.onclose = () => (this.connection = undefined);
        resolve(database);
      };
      request.onerror = () => reject(request.error ?? new Error('IndexedDB did not open'));
    });
  }
}

function steps(transaction: IDBTransaction): Transaction {
  const answer = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new DOMException('The request failed'));
    });
  const store = (name: StoreName) => transaction.objectStore(name);
  return {
    get: (name, key) => answer(store(name).get(key)),
    all: (name) => answer(store(name).getAll()),
    put: (name, value, key) => {
      store(name).put(value, key);
    },
    delete: (name, key) => {
      store(name).delete(key);
    },
    clear: (name) => {
      store(name).clear();
    },
  };
}
