-- The tables of Cashier 15 and 16 (database/migrations/2019_05_03_00000…), as Laravel makes them in SQLite.
CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, name varchar NOT NULL, email varchar NOT NULL,
    stripe_id varchar, pm_type varchar, pm_last_four varchar, trial_ends_at datetime);
CREATE TABLE subscriptions (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, user_id integer NOT NULL, type varchar NOT NULL,
    stripe_id varchar NOT NULL UNIQUE, stripe_status varchar NOT NULL, stripe_price varchar, quantity integer,
    trial_ends_at datetime, ends_at datetime, created_at datetime, updated_at datetime);
INSERT INTO users (id, name, email, stripe_id) VALUES
    (42, 'Ann', 'ann@example.com', 'cus_NffrFeUfNV2Hib'), (43, 'Bob', 'bob@example.com', 'cus_OKVzUqJyPCVmLg');
INSERT INTO subscriptions (user_id, type, stripe_id, stripe_status, stripe_price, quantity) VALUES
    (42, 'default', 'sub_1MowQVLkdIwHu7ixeRlqHVzs', 'active', 'price_1MowQULkdIwHu7ixraBm864M', 1),
    (43, 'default', 'sub_1NXWPnLkdIwHu7ix7PpTvzKd', 'past_due', 'price_1MowQULkdIwHu7ixraBm864M', 1),
    (43, 'default', 'sub_1MoincompleteLkdIwHu7ix', 'incomplete', 'price_1MowQULkdIwHu7ixraBm864M', 1);
