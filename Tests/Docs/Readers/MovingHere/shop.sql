-- The tables of Pay 11 (db/migrate/1_create_pay_tables.rb, 2_add_pay_sti_columns.rb), as Rails makes them in SQLite.
CREATE TABLE pay_customers (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, owner_type varchar, owner_id integer,
    processor varchar NOT NULL, processor_id varchar, "default" boolean, data json, deleted_at datetime(6),
    stripe_account varchar, created_at datetime(6) NOT NULL, updated_at datetime(6) NOT NULL, type varchar);
CREATE TABLE pay_subscriptions (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, customer_id integer NOT NULL,
    name varchar NOT NULL, processor_id varchar NOT NULL, processor_plan varchar NOT NULL,
    quantity integer DEFAULT 1 NOT NULL, status varchar NOT NULL, current_period_start datetime(6),
    current_period_end datetime(6), trial_ends_at datetime(6), ends_at datetime(6), metered boolean,
    pause_behavior varchar, pause_starts_at datetime(6), pause_resumes_at datetime(6),
    application_fee_percent decimal(8,2), metadata json, data json, created_at datetime(6) NOT NULL,
    updated_at datetime(6) NOT NULL, type varchar);
INSERT INTO pay_customers (id, owner_type, owner_id, processor, processor_id, "default", stripe_account, created_at, updated_at) VALUES
    (1, 'User', 42, 'stripe', 'cus_NffrFeUfNV2Hib', 1, NULL, '2024-01-01', '2024-01-01'),
    (2, 'User', 43, 'stripe', 'cus_OKVzUqJyPCVmLg', 1, 'acct_1032D82eZvKYlo2C', '2024-01-01', '2024-01-01'),
    (3, 'User', 44, 'paddle_billing', 'ctm_01hv6y1jedq4p1n0yqn5ba3ky4', 1, NULL, '2024-01-01', '2024-01-01'),
    (4, 'Team', 42, 'stripe', 'cus_PteamteamTEAM1', 1, NULL, '2024-01-01', '2024-01-01');
INSERT INTO pay_subscriptions (customer_id, name, processor_id, processor_plan, status, created_at, updated_at) VALUES
    (1, 'default', 'sub_1MowQVLkdIwHu7ixeRlqHVzs', 'price_1MowQULkdIwHu7ixraBm864M', 'active', '2024-01-01', '2024-01-01'),
    (2, 'default', 'sub_1NXWPnLkdIwHu7ix7PpTvzKd', 'price_1MowQULkdIwHu7ixraBm864M', 'canceled', '2024-01-01', '2024-01-01'),
    (3, 'default', 'sub_01hv8x29kz0t586xy6zn1a62ny', 'pri_01gsz8x8sawmvhz1pv30nge1ke', 'active', '2024-01-01', '2024-01-01'),
    (4, 'default', 'sub_1PteamLkdIwHu7ixteamteam', 'price_1MowQULkdIwHu7ixraBm864M', 'active', '2024-01-01', '2024-01-01'),
    (1, 'default', 'sub_1MoincompleteLkdIwHu7ix', 'price_1MowQULkdIwHu7ixraBm864M', 'incomplete_expired', '2024-01-01', '2024-01-01');
