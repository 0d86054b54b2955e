/// What bodies are likely to say, as Zstandard's dictionary (RFC 8878, §5): a body of 1 KB is too short to repeat itself, and
/// then becomes half as large. A prefix without tables of its own; what is likeliest stands last, where it is nearest.
///
/// It is as much a part of a ledger as its tables: **no byte of it may ever change**, since what was packed with it can be read
/// with nothing else. A better one would be another `StoredBody.Form` beside this one.
enum BodyDictionary {
    static let bytes = Array(text.utf8)

    // swift-format-ignore
    private static let text = #"""
        {"id":"evt_","object":"event","api_version":"2025-03-31.basil","created":17,"livemode":true,"pending_webhooks":1,"request":{"id":null,"idempotency_key":null},"type":"customer.subscription.updated","data":{"object":{"id":"sub_","object":"subscription","status":"active","customer":"cus_","metadata":{"order":"","product":""},"items":{"object":"list","data":[{"id":"si_","object":"subscription_item","price":{"id":"price_","object":"price","currency":"usd","lookup_key":null,"product":"prod_","unit_amount":999},"current_period_start":17,"current_period_end":17}]},"cancel_at_period_end":false,"cancel_at":null,"canceled_at":null,"ended_at":null,"cancellation_details":{"reason":null},"trial_end":null,"discounts":[],"latest_invoice":"in_","pause_collection":null,"schedule":null,"pending_update":null}}}
        {
          "id": "evt_1",
          "object": "event",
          "api_version": "2025-03-31.basil",
          "created": 17,
          "data": {
            "object": {
              "id": "sub_1",
              "object": "subscription",
              "application": null,
              "application_fee_percent": null,
              "automatic_tax": {
                "disabled_reason": null,
                "enabled": false,
                "liability": null
              },
              "billing_cycle_anchor": 17,
              "billing_cycle_anchor_config": null,
              "billing_thresholds": null,
              "cancel_at": null,
              "cancel_at_period_end": false,
              "canceled_at": null,
              "cancellation_details": {
                "comment": null,
                "feedback": null,
                "reason": null
              },
              "collection_method": "charge_automatically",
              "created": 17,
              "currency": "usd",
              "customer": "cus_",
              "days_until_due": null,
              "default_payment_method": "pm_1",
              "default_source": null,
              "default_tax_rates": [],
              "description": null,
              "discounts": [],
              "ended_at": null,
              "invoice_settings": {
                "account_tax_ids": null,
                "issuer": {
                  "type": "self"
                }
              },
              "items": {
                "object": "list",
                "data": [
                  {
                    "id": "si_",
                    "object": "subscription_item",
                    "billing_thresholds": null,
                    "created": 17,
                    "current_period_end": 17,
                    "current_period_start": 17,
                    "discounts": [],
                    "metadata": {},
                    "plan": {
                      "id": "price_1",
                      "object": "plan",
                      "active": true,
                      "amount": 999,
                      "amount_decimal": "999",
                      "billing_scheme": "per_unit",
                      "created": 17,
                      "currency": "usd",
                      "interval": "month",
                      "interval_count": 1,
                      "livemode": true,
                      "metadata": {},
                      "meter": null,
                      "nickname": null,
                      "product": "prod_",
                      "tiers_mode": null,
                      "transform_usage": null,
                      "trial_period_days": null,
                      "usage_type": "licensed"
                    },
                    "price": {
                      "id": "price_1",
                      "object": "price",
                      "custom_unit_amount": null,
                      "lookup_key": null,
                      "recurring": {
                        "interval": "year",
                        "trial_period_days": null,
                        "usage_type": "licensed"
                      },
                      "tax_behavior": "unspecified",
                      "type": "recurring",
                      "unit_amount": 999,
                      "unit_amount_decimal": "999"
                    },
                    "quantity": 1,
                    "subscription": "sub_1",
                    "tax_rates": []
                  }
                ],
                "has_more": false,
                "total_count": 1,
                "url": "/v1/subscription_items?subscription=sub_1"
              },
              "latest_invoice": "in_1",
              "livemode": true,
              "metadata": {
                "order": "",
                "product": ""
              },
              "next_pending_invoice_item_invoice": null,
              "on_behalf_of": null,
              "pause_collection": null,
              "payment_settings": {
                "payment_method_options": null,
                "payment_method_types": null,
                "save_default_payment_method": "off"
              },
              "pending_invoice_item_interval": null,
              "pending_setup_intent": null,
              "pending_update": null,
              "schedule": null,
              "start_date": 17,
              "status": "active",
              "test_clock": null,
              "transfer_data": null,
              "trial_end": null,
              "trial_settings": {
                "end_behavior": {
                  "missing_payment_method": "create_invoice"
                }
              },
              "trial_start": null
            },
            "previous_attributes": {}
          },
          "livemode": true,
          "pending_webhooks": 1,
          "request": {
            "id": null,
            "idempotency_key": null
          },
          "type": "customer.subscription.updated"
        }
        {"api_version":"1.0","event":{"id":"","type":"RENEWAL","event_timestamp_ms":17,"app_id":"app","store":"PLAY_STORE","environment":"PRODUCTION","app_user_id":"","original_app_user_id":"$RCAnonymousID:","aliases":["$RCAnonymousID:"],"subscriber_attributes":{"paycast_order":{"value":"","updated_at_ms":17}},"product_id":"","entitlement_ids":["pro"],"original_transaction_id":"","transaction_id":"","purchased_at_ms":17,"expiration_at_ms":17,"is_family_share":false,"period_type":"NORMAL","presented_offering_id":null,"country_code":"US","tax_percentage":0.0,"commission_percentage":0.3,"takehome_percentage":0.7,"offer_code":null,"is_trial_conversion":false,"renewal_number":1,"price_in_purchased_currency":9.99,"price":9.99,"currency":"USD"}}
        {"event_id":"","type":"subscription.updated","status":"active","subscription_id":"","subscription_name":"Pro","store":"google","store_product_id":"","current_period_start":"2026-","current_period_end":"2026-","ends_at":null,"success_path":"/","customer_id":""}
        {"signedPayload":"{"notificationType":"DID_RENEW","notificationUUID":"","version":"2.0","signedDate":17,"subtype":"BILLING_RECOVERY","data":{"appAppleId":1,"bundleId":"com.","bundleVersion":"1","environment":"Production","signedTransactionInfo":"{"transactionId":"","originalTransactionId":"","appTransactionId":"70","webOrderLineItemId":"","bundleId":"com.","productId":"","subscriptionGroupIdentifier":"2","purchaseDate":17,"originalPurchaseDate":17,"expiresDate":17,"quantity":1,"type":"Auto-Renewable Subscription","appAccountToken":"","inAppOwnershipType":"PURCHASED","signedDate":17,"environment":"Production","transactionReason":"RENEWAL","storefront":"USA","storefrontId":"143441","price":9990,"currency":"USD"}","status":1,"signedRenewalInfo":"{"originalTransactionId":"","autoRenewProductId":"","productId":"","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD","signedDate":17,"environment":"Sandbox","recentSubscriptionStartDate":17,"renewalDate":17,"appTransactionId":"70","appAccountToken":""}"}}
        {"message":{"data":"eyJ2ZXJzaW9uIjoiMS4wIiwicGFja2FnZU5hbWUiOiJjb20u","messageId":"1","message_id":"1","publishTime":"2026-","publish_time":"2026-"},"subscription":"projects/p/subscriptions/s"}
        {"access_until":"28 December 2026","access_until_iso":"2026-12-28T00:00:00Z","auto_renew":"true","currency":"USD","environment":"Production","event":"subscription.renewed","group":"","name":"","order":"","pending_product":"","price":"","product":"","provider":"google","quantity":"","reason":"canceled","state":"canceled","user":""}
        {"access_until":"28 November 2026","access_until_iso":"2026-11-28T00:00:00Z","auto_renew":"false","currency":"","environment":"Sandbox","event":"subscription.expired","group":"","name":"","order":"","pending_product":"","price":"","product":"","provider":"stripe","quantity":"","reason":"expired","state":"expired","user":""}
        {"access_until":"28 December 2026","access_until_iso":"2026-12-28T00:00:00Z","auto_renew":"true","currency":"","environment":"Production","event":"subscription.started","group":"","name":"","order":"","pending_product":"","price":"","product":"","provider":"apple","quantity":"","reason":"active","state":"active","user":""}
        """#
}
